package guards_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"lockside/fencing"
	"lockside/fencing/objectguard"
)

type bucket struct {
	client *s3.Client
	name   string
}

func (b bucket) Get(ctx context.Context, key string) ([]byte, string, error) {
	out, err := b.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.name, Key: &key})
	if _, absent := errors.AsType[*types.NoSuchKey](err); absent {
		return nil, "", objectguard.ErrAbsent
	}
	if err != nil {
		return nil, "", err
	}
	defer out.Body.Close()
	object, err := io.ReadAll(out.Body)
	return object, aws.ToString(out.ETag), err
}

func (b bucket) Put(ctx context.Context, key string, object []byte, etag string) error {
	in := &s3.PutObjectInput{Bucket: &b.name, Key: &key, Body: bytes.NewReader(object)}
	if etag == "" {
		in.IfNoneMatch = aws.String("*")
	} else {
		in.IfMatch = &etag
	}
	_, err := b.client.PutObject(ctx, in)
	if failed, ok := errors.AsType[smithy.APIError](err); ok {
		switch failed.ErrorCode() {
		case "PreconditionFailed", "ConditionalRequestConflict", "NoSuchKey":
			return objectguard.ErrChanged
		}
	}
	return err
}

func Example_s3() {
	ctx := context.Background()
	token, err := fencing.FromEnv() // under lockside run
	if err != nil {
		log.Fatal(err)
	}
	var options s3.Options // region, credentials; or s3.NewFromConfig
	jobs := bucket{s3.New(options), "jobs"}
	if err := objectguard.Probe(ctx, jobs, "probe/"+token.String()); err != nil {
		log.Fatal(err) // once, before a store is trusted
	}
	guard := objectguard.New(jobs, "nightly/manifest")
	if err := guard.Claim(ctx, token); err != nil {
		log.Fatal(err)
	}
	body, _, err := guard.Read(ctx)
	if err != nil {
		log.Fatal(err)
	}
	err = guard.Write(ctx, token, append(body, "done\n"...))
	if errors.Is(err, fencing.ErrStale) {
		log.Fatal("another has the lock: ", err)
	}
	if err != nil {
		log.Fatal(err)
	}
}
