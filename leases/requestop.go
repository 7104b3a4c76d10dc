package leases

import pb "go.etcd.io/etcd/api/v3/etcdserverpb"

// The pieces of a Txn, in the words of etcdserverpb.

func modified(key string, revision int64) *pb.Compare {
	return &pb.Compare{
		Result: pb.Compare_EQUAL, Target: pb.Compare_MOD, Key: []byte(key),
		TargetUnion: &pb.Compare_ModRevision{ModRevision: revision},
	}
}

// created compares the create revision of a key, or of every key in a range;
// an absent key has zero, and an empty range passes for zero.
func created(key, end string, revision int64) *pb.Compare {
	return &pb.Compare{
		Result: pb.Compare_EQUAL, Target: pb.Compare_CREATE, Key: []byte(key), RangeEnd: optional(end),
		TargetUnion: &pb.Compare_CreateRevision{CreateRevision: revision},
	}
}

func put(key string, value []byte, lease int64) *pb.RequestOp {
	return &pb.RequestOp{Request: &pb.RequestOp_RequestPut{
		RequestPut: &pb.PutRequest{Key: []byte(key), Value: value, Lease: lease},
	}}
}

func del(key string) *pb.RequestOp {
	return &pb.RequestOp{Request: &pb.RequestOp_RequestDeleteRange{
		RequestDeleteRange: &pb.DeleteRangeRequest{Key: []byte(key)},
	}}
}

// get reads a key or a range, without values. Such a read leaves the leases
// out too since etcd 3.7, which answers it from its index.
func get(key, end string) *pb.RequestOp {
	return reading(&pb.RangeRequest{Key: []byte(key), RangeEnd: optional(end), KeysOnly: true})
}

// getWhole reads a range with the values and the leases.
func getWhole(key, end string) *pb.RequestOp {
	return reading(&pb.RangeRequest{Key: []byte(key), RangeEnd: optional(end)})
}

func reading(r *pb.RangeRequest) *pb.RequestOp {
	return &pb.RequestOp{Request: &pb.RequestOp_RequestRange{RequestRange: r}}
}

func optional(end string) []byte {
	if end == "" {
		return nil
	}
	return []byte(end)
}
