package etcd

import (
	"errors"
	"slices"
	"testing"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

func header(cluster uint64, revision int64) *pb.ResponseHeader {
	return &pb.ResponseHeader{ClusterId: cluster, Revision: revision}
}

func TestMemoryTellsOfRisesOnlyAndInOrder(t *testing.T) {
	var seen []int64
	m := newMemory(Memory{}, func(cluster uint64, revision int64) {
		if cluster != 7 {
			t.Errorf("told of cluster %x", cluster)
		}
		seen = append(seen, revision)
	}, nil)
	for _, revision := range []int64{3, 3, 5, 4, 9} { // 4 was asked for before 5 had arrived
		if err := m.judge(3, header(7, revision)); err != nil {
			t.Errorf("judge(%d): %v", revision, err)
		}
	}
	if want := []int64{3, 5, 9}; !slices.Equal(seen, want) {
		t.Errorf("told of %v, want %v", seen, want)
	}
}

func TestMemoryRefusesWhatGoesBack(t *testing.T) {
	for name, test := range map[string]struct {
		remembered Memory
		reply      *pb.ResponseHeader
	}{
		"lower revision":   {Memory{ClusterID: 7, Revision: 10}, header(7, 9)},
		"other cluster":    {Memory{ClusterID: 7, Revision: 10}, header(8, 100)},
		"went back before": {Memory{ClusterID: 7, Revision: 10, Regressed: true}, header(7, 11)},
		"no revision":      {Memory{ClusterID: 7, Revision: 10}, &pb.ResponseHeader{ClusterId: 7}},
	} {
		told := 0
		m := newMemory(test.remembered, func(uint64, int64) { t.Errorf("%s: remembered", name) }, func(error) { told++ })
		if err := m.judge(m.floor(), test.reply); !errors.Is(err, ErrRegressed) {
			t.Errorf("%s: judge gives %v", name, err)
		}
		if err := m.judge(0, header(7, 1000)); !errors.Is(err, ErrRegressed) {
			t.Errorf("%s: judge gives %v afterwards", name, err)
		}
		if err := m.err(); !errors.Is(err, ErrRegressed) {
			t.Errorf("%s: err gives %v", name, err)
		}
		if known := test.remembered.Regressed; known != (told == 0) || told > 1 {
			t.Errorf("%s: told %d times", name, told)
		}
	}
}

func TestMemoryTakesTheFirstClusterForItsOwn(t *testing.T) {
	m := newMemory(Memory{}, nil, nil)
	if err := m.judgeCluster(header(7, 0)); err != nil {
		t.Error(err)
	}
	if err := m.judgeCluster(header(8, 0)); !errors.Is(err, ErrRegressed) {
		t.Errorf("another cluster gives %v", err)
	}
}

func TestAWriteMakesARevision(t *testing.T) {
	put := &pb.ResponseOp{Response: &pb.ResponseOp_ResponsePut{ResponsePut: &pb.PutResponse{}}}
	look := &pb.ResponseOp{Response: &pb.ResponseOp_ResponseRange{ResponseRange: &pb.RangeResponse{Count: 1}}}
	deleted := func(n int64) *pb.ResponseOp {
		return &pb.ResponseOp{Response: &pb.ResponseOp_ResponseDeleteRange{ResponseDeleteRange: &pb.DeleteRangeResponse{Deleted: n}}}
	}
	nested := func(ops ...*pb.ResponseOp) *pb.ResponseOp {
		return &pb.ResponseOp{Response: &pb.ResponseOp_ResponseTxn{ResponseTxn: &pb.TxnResponse{Responses: ops}}}
	}
	for name, test := range map[string]struct {
		ops  []*pb.ResponseOp
		want bool
	}{
		"nothing":         {nil, false},
		"look":            {[]*pb.ResponseOp{look}, false},
		"put":             {[]*pb.ResponseOp{look, put}, true},
		"deleted nothing": {[]*pb.ResponseOp{deleted(0)}, false},
		"deleted":         {[]*pb.ResponseOp{deleted(1)}, true},
		"nested look":     {[]*pb.ResponseOp{nested(nested(look))}, false},
		"nested put":      {[]*pb.ResponseOp{look, nested(look, nested(put))}, true},
	} {
		if got := wrote(test.ops); got != test.want {
			t.Errorf("%s: wrote is %v", name, got)
		}
	}
}
