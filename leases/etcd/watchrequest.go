package etcd

import pb "go.etcd.io/etcd/api/v3/etcdserverpb"

// wireID is a watch's id in requests and responses. Zero would have the server
// choose one, so the owner's ids are moved up by one.
func wireID(id uint64) int64 { return int64(id) + 1 }

// ownerID is the reverse of wireID.
func ownerID(wire int64) uint64 { return uint64(wire - 1) }

func createRequest(id uint64, prefix string) *pb.WatchRequest {
	return &pb.WatchRequest{RequestUnion: &pb.WatchRequest_CreateRequest{
		CreateRequest: &pb.WatchCreateRequest{
			WatchId:  wireID(id),
			Key:      []byte(prefix),
			RangeEnd: prefixEnd(prefix),
		},
	}}
}

func cancelRequest(id uint64) *pb.WatchRequest {
	return &pb.WatchRequest{RequestUnion: &pb.WatchRequest_CancelRequest{
		CancelRequest: &pb.WatchCancelRequest{WatchId: wireID(id)},
	}}
}

func progressRequest() *pb.WatchRequest {
	return &pb.WatchRequest{RequestUnion: &pb.WatchRequest_ProgressRequest{
		ProgressRequest: &pb.WatchProgressRequest{},
	}}
}

// prefixEnd is the first key after all those that begin with a prefix; a zero
// byte stands for the end of the key space.
func prefixEnd(prefix string) []byte {
	end := []byte(prefix)
	for len(end) > 0 {
		if last := len(end) - 1; end[last] < 0xff {
			end[last]++
			return end
		} else {
			end = end[:last]
		}
	}
	return []byte{0}
}
