package netns

import (
	"encoding/binary"
	"net/netip"
)

// Sizes of headers without options, and where their fields are (RFC 791, section
// 3.1, and RFC 9293, section 3.1).
const (
	ipSize, tcpSize = 20, 20

	ipLength, ipTTL, ipProtocol, ipChecksum, ipSource, ipDestination = 2, 8, 9, 10, 12, 16
	tcpFrom, tcpTo, tcpSeq, tcpAck, tcpOffset, tcpFlags, tcpChecksum = 0, 2, 4, 8, 12, 13, 16

	protocolTCP = 6

	flagFIN, flagSYN, flagRST, flagACK = 1 << 0, 1 << 1, 1 << 2, 1 << 4
)

// destination is the address that an IPv4 packet goes to.
func destination(packet []byte) (netip.Addr, bool) {
	if len(packet) < ipSize || packet[0]>>4 != 4 {
		return netip.Addr{}, false
	}
	return netip.AddrFrom4([4]byte(packet[ipDestination:])), true
}

// reset is the packet that refuses a TCP segment: what RFC 9293, section 3.10.7.1,
// has a host say that knows of no such connection. Of anything else, and of
// another reset, it is nil.
func reset(packet []byte) []byte {
	headers := int(packet[0]&15) * 4
	if packet[ipProtocol] != protocolTCP || len(packet) < headers+tcpSize {
		return nil
	}
	segment := packet[headers:]
	if segment[tcpFlags]&flagRST != 0 {
		return nil
	}
	answer := make([]byte, ipSize+tcpSize)
	answerTCP(answer[ipSize:], segment)
	answerIP(answer, packet)
	return answer
}

// answerTCP writes the header of the reset.
func answerTCP(answer, segment []byte) {
	copy(answer[tcpFrom:], segment[tcpTo:tcpTo+2])
	copy(answer[tcpTo:], segment[tcpFrom:tcpFrom+2])
	answer[tcpOffset] = tcpSize / 4 << 4
	if segment[tcpFlags]&flagACK != 0 {
		answer[tcpFlags] = flagRST
		copy(answer[tcpSeq:], segment[tcpAck:tcpAck+4])
		return
	}
	answer[tcpFlags] = flagRST | flagACK
	seq := binary.BigEndian.Uint32(segment[tcpSeq:])
	binary.BigEndian.PutUint32(answer[tcpAck:], seq+length(segment))
}

// length is how far a segment moves the sequence on.
func length(segment []byte) uint32 {
	size := uint32(len(segment)) - uint32(segment[tcpOffset]>>4)*4
	for _, flag := range []byte{flagSYN, flagFIN} {
		if segment[tcpFlags]&flag != 0 {
			size++
		}
	}
	return size
}

// answerIP writes the header of the packet around a segment that is complete but
// for its checksum.
func answerIP(answer, packet []byte) {
	answer[0] = 4<<4 | ipSize/4
	binary.BigEndian.PutUint16(answer[ipLength:], uint16(len(answer)))
	answer[ipTTL], answer[ipProtocol] = 64, protocolTCP
	copy(answer[ipSource:], packet[ipDestination:ipDestination+4])
	copy(answer[ipDestination:], packet[ipSource:ipSource+4])
	binary.BigEndian.PutUint16(answer[ipChecksum:], checksum(0, answer[:ipSize]))
	pseudo := uint32(protocolTCP) + uint32(len(answer)-ipSize)
	for i := ipSource; i < ipSize; i += 2 {
		pseudo += uint32(binary.BigEndian.Uint16(answer[i:]))
	}
	binary.BigEndian.PutUint16(answer[ipSize+tcpChecksum:], checksum(pseudo, answer[ipSize:]))
}

// checksum is the one of RFC 1071, over an even number of bytes.
func checksum(sum uint32, data []byte) uint16 {
	for i := 0; i < len(data); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(data[i:]))
	}
	for sum>>16 != 0 {
		sum = sum&0xffff + sum>>16
	}
	return ^uint16(sum)
}
