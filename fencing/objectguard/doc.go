// Package objectguard makes an object of S3, or of a store like it, refuse old
// fencing tokens.
//
// A [Guard] replaces the object only if it is still the one that it has read: a PUT
// with If-Match, or with If-None-Match: * where there was none. What it has read
// begins with the greatest token seen, so that comparing, storing and writing is
// one step:
//
//	guard := objectguard.New(bucket{client, "jobs"}, "nightly/manifest")
//	err := guard.Claim(ctx, token)
//	body, _, err := guard.Read(ctx)
//	err = guard.Write(ctx, token, append(body, "done\n"...))
//
// The client is yours. What the package needs of it is a [Store], which with
// github.com/aws/aws-sdk-go-v2/service/s3 is
//
//	type bucket struct {
//		client *s3.Client
//		name   string
//	}
//
//	func (b bucket) Get(ctx context.Context, key string) ([]byte, string, error) {
//		out, err := b.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.name, Key: &key})
//		if _, absent := errors.AsType[*types.NoSuchKey](err); absent {
//			return nil, "", objectguard.ErrAbsent
//		}
//		if err != nil {
//			return nil, "", err
//		}
//		defer out.Body.Close()
//		object, err := io.ReadAll(out.Body)
//		return object, aws.ToString(out.ETag), err
//	}
//
//	func (b bucket) Put(ctx context.Context, key string, object []byte, etag string) error {
//		in := &s3.PutObjectInput{Bucket: &b.name, Key: &key, Body: bytes.NewReader(object)}
//		if etag == "" {
//			in.IfNoneMatch = aws.String("*")
//		} else {
//			in.IfMatch = &etag
//		}
//		_, err := b.client.PutObject(ctx, in)
//		if failed, ok := errors.AsType[smithy.APIError](err); ok {
//			switch failed.ErrorCode() {
//			case "PreconditionFailed", "ConditionalRequestConflict", "NoSuchKey":
//				return objectguard.ErrChanged
//			}
//		}
//		return err
//	}
//
// # The object
//
// The first line of the object is the guard's, and all behind it is the body:
//
//	lockside-fence 8123@cdf818194e3a8c32 R4TQ5M6XZ7K2W VN3CFA72YQ5XK
//
// It has the greatest token seen and the ids of the last 32 writes, the newest one
// first. [Parse] takes it off. The token is not in the object's metadata, and that
// is no matter of taste: the ETag of most objects is a hash of what is in them, and
// not of their metadata. A claim that leaves the body as it is would leave the ETag
// as it is, and the PUT of the holder before would still be done. The id of each
// write is in the line for the same reason: an object whose ETag has come back lets
// in what was refused.
//
// The ids also say what became of a write. S3 answers 412 when a client sends a PUT
// again whose reply it has not got, although the first one was done. The guard then
// reads the object, and finds its write in it, or knows that it was not done.
//
// # In other languages
//
// To claim, or to write: GET the object. If its token is greater than yours, stop:
// you are stale. If its cluster, behind the @, is another one, stop too. PUT the
// line with your token, a new random id and the ids that were there, and the body,
// with If-Match: and the ETag of the GET; or with If-None-Match: * if that was 404.
// An id is of at most 64 letters and digits, and 32 ids are the most.
// After 200 it is done. After 409, 412, or 404 for a PUT with If-Match, start again;
// if your id is in the line by then, it is done.
//
// With curl, where $URL is the bucket's and $AUTH is --aws-sigv4 aws:amz:REGION:s3
// --user KEY:SECRET -H x-amz-content-sha256:UNSIGNED-PAYLOAD:
//
//	$ SHOW='-so /dev/null -w %{http_code}\n'
//	$ printf 'lockside-fence 8123@cdf8 A1\n' >object
//	$ curl $AUTH -T object $URL/nightly $SHOW -H 'If-None-Match: *'
//	200
//	$ ETAG=$(curl $AUTH -sI $URL/nightly | tr -d '\r' | sed -n 's/^etag: //Ip')
//	$ printf 'lockside-fence 8200@cdf8 B1 A1\n' >object
//	$ curl $AUTH -T object $URL/nightly $SHOW -H "If-Match: $ETAG"
//	200
//	$ printf 'lockside-fence 8123@cdf8 A2 A1\nlate' >object
//	$ curl $AUTH -T object $URL/nightly $SHOW -H "If-Match: $ETAG"
//	412
//
// When etcd has been replaced by another cluster, put the line with the new cluster
// and the fence 0, 0@5f3759df, a new id and the ids that were there, in the same way.
//
// # Much data
//
// A claim and a write send the whole object. For more than a megabyte or so keep a
// manifest behind the guard, that names other objects, and switch it: PUT the data
// as new objects whose names begin with the fence, each with If-None-Match: *; then
// write the manifest that names them. Nobody reads what the manifest does not name,
// so a holder that is late leaves litter, and no harm. Append in the same way: a
// segment for each batch, nightly/8123-0001, and one manifest that lists them. To
// clean up, a holder claims first, and deletes objects whose fence is lower than its
// own and that the manifest does not name.
//
// # Which stores
//
// S3 itself keeps conditions, and so do others; but some that look like it ignore
// If-Match or If-None-Match and answer 200, some know If-None-Match alone, and some
// check the condition in a step of its own, so that of two PUTs at one time both are
// done. [Probe] finds those out. Run it with the store that you will use, through
// the proxies that you will use, before you trust it.
//
// # What it does not do
//
// Whoever deletes the object, or lets a lifecycle rule expire it, makes it forget
// the watermark. Whoever puts without a condition is not refused: a bucket policy
// can demand one (s3:if-match, s3:if-none-match). A replica in another region is
// behind, and conditions hold in one region only. The watermark is as lasting as the
// store: one that answers before it has synced may lose it with its machine.
package objectguard
