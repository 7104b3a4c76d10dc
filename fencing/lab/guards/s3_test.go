package guards_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"lockside/fencing"
	"lockside/fencing/fencingtest"
	"lockside/fencing/lab/servers"
	"lockside/fencing/objectguard"
)

// jobs is the only bucket.
const jobs = "jobs"

// startS3 runs a server with a bucket until the test ends. The first time it has to
// be built.
func startS3(t *testing.T) *servers.S3 {
	t.Helper()
	program, err := servers.BuildS3(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	server, err := servers.StartS3(t.Context(), t.TempDir(), program)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	if _, err := s3Client(server.Address, 1).CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String(jobs)}); err != nil {
		t.Fatal(err)
	}
	return server
}

// s3Client sends a request that often, if it gets no answer.
func s3Client(address string, attempts int) *s3.Client {
	return s3.New(s3.Options{
		Region: "us-east-1", BaseEndpoint: aws.String("http://" + address), UsePathStyle: true,
		Retryer: retry.AddWithMaxAttempts(retry.NewStandard(), attempts),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: servers.S3User, SecretAccessKey: servers.S3Secret}, nil
		}),
	})
}

// s3Resources gives each case of the suite an object of its own. Guards are made
// for a client that goes through a wire.
func s3Resources(server *servers.S3, attempts int,
	store func(client *s3.Client) objectguard.Store,
) func(t *testing.T) *fencingtest.Resource[[]byte] {
	direct := bucket{s3Client(server.Address, 3), jobs}
	return func(t *testing.T) *fencingtest.Resource[[]byte] {
		wire, err := fencingtest.NewWire(server.Address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = wire.Close() }) // connections may have gone with the server
		key := rand.Text()
		guard := objectguard.New(store(s3Client(wire.Address(), attempts)), key)
		var tokens fencingtest.Tokens
		return &fencingtest.Resource[[]byte]{
			Grant: func(context.Context) (fencingtest.Holder[[]byte], error) {
				return fencingtest.Holder[[]byte]{Guard: guard, Token: tokens.Next()}, nil
			},
			Set: func(value string) []byte { return []byte(value) },
			Value: func(ctx context.Context) (string, error) {
				body, _, err := objectguard.New(direct, key).Read(ctx)
				return string(body), err
			},
			Restart: func(ctx context.Context) error {
				server.Kill(0)
				return server.Restart(ctx, 0)
			},
			LoseReply: func(ctx context.Context, call func(context.Context) error) error {
				return wire.Lose(ctx, "PUT /", call)
			},
		}
	}
}

// TestS3 runs the suite with a client that sends each request once, and with one
// that repeats it, as it does by default.
func TestS3(t *testing.T) {
	server := startS3(t)
	for name, attempts := range map[string]int{"repeating nothing": 1, "repeating": 3} {
		t.Run(name, func(t *testing.T) {
			fencingtest.Test(t, s3Resources(server, attempts, func(client *s3.Client) objectguard.Store {
				return bucket{client, jobs}
			}))
		})
	}
}

// anyway is a store of which one has forgotten to state the condition.
type anyway struct{ bucket }

func (b anyway) Put(ctx context.Context, key string, object []byte, _ string) error {
	_, err := b.client.PutObject(ctx, unconditional(key, object))
	return err
}

// TestBrokenS3Guard holds that the suite and the probe, on the real server, find
// that a put has no condition.
func TestBrokenS3Guard(t *testing.T) {
	server := startS3(t)
	mustFail(t, "writers that race", "was accepted after|the value is", s3Resources(server, 1, func(client *s3.Client) objectguard.Store {
		return anyway{bucket{client, jobs}}
	}))
	err := objectguard.Probe(t.Context(), anyway{bucket{s3Client(server.Address, 1), jobs}}, "probe")
	if !errors.Is(err, objectguard.ErrUnsafe) {
		t.Errorf("the probe finds %v", err)
	}
	t.Log(err)
}

// TestS3KeepsConditions probes the real server.
func TestS3KeepsConditions(t *testing.T) {
	client := s3Client(startS3(t).Address, 1)
	for range 10 {
		if err := objectguard.Probe(t.Context(), bucket{client, jobs}, rand.Text()); err != nil {
			t.Fatal(err)
		}
	}
}

// between is a store that does something between a guard's reading and its put.
type between struct {
	bucket
	do func()
}

func (b between) Put(ctx context.Context, key string, object []byte, etag string) error {
	b.do()
	return b.bucket.Put(ctx, key, object, etag)
}

// TestS3ClaimBetweenReadAndPut has a second holder claim after the first one has
// read the object, and before it puts it. It shows why the token is not in the
// metadata: a claim that leaves the body as it is leaves the ETag as it is.
func TestS3ClaimBetweenReadAndPut(t *testing.T) {
	client := s3Client(startS3(t).Address, 1)
	first, second := fencing.Token{Fence: 1}, fencing.Token{Fence: 2}

	inMetadata := func(t fencing.Token, body, etag string) (string, error) {
		in := unconditional("metadata", []byte(body))
		in.Metadata = map[string]string{"fence": t.String()}
		if etag != "" {
			in.IfMatch = &etag
		}
		out, err := client.PutObject(context.Background(), in)
		if err != nil {
			return "", err
		}
		return *out.ETag, nil
	}
	etag, err := inMetadata(first, "body", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := inMetadata(second, "body", etag); err != nil {
		t.Fatal(err)
	}
	if _, err := inMetadata(first, "late", etag); err != nil {
		t.Errorf("with the token in the metadata a late write is refused: %v; so the documentation is wrong", err)
	}

	guard := objectguard.New(bucket{client, jobs}, "line")
	if err := guard.Claim(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	late := objectguard.New(between{bucket{client, jobs}, func() {
		if err := guard.Claim(t.Context(), second); err != nil {
			t.Error(err)
		}
	}}, "line")
	if err := late.Write(t.Context(), first, []byte("late")); !errors.Is(err, fencing.ErrStale) {
		t.Errorf("with the token in the object a late write: %v, want it refused as stale", err)
	}
}

// unconditional is a put without a condition.
func unconditional(key string, object []byte) *s3.PutObjectInput {
	return &s3.PutObjectInput{Bucket: aws.String(jobs), Key: &key, Body: bytes.NewReader(object)}
}
