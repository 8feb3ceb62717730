package frame

import "unicode/utf8"

// A Stream is what a command wrote to one of its outputs.
type Stream struct {
	Data  []byte // the newest bytes
	Total int64  // bytes written in all
}

// NewStream is a stream of which the newest bytes are known. A text in UTF-8 that was cut begins with a character: the rest of
// one that the cut went through is left out. Other bytes stay as they are.
func NewStream(newest []byte, total int64) Stream {
	stream := Stream{Data: newest, Total: total}
	if int64(len(newest)) == total {
		return stream
	}
	for i := range min(utf8.UTFMax, len(newest)) {
		if !utf8.RuneStart(newest[i]) {
			continue
		}
		if utf8.Valid(newest[i:]) {
			stream.Data = newest[i:]
		}
		break
	}
	return stream
}
