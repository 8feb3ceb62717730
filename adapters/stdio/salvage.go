package stdio

import (
	"bytes"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// A salvage looks for the id in a frame that cannot be served, so that whoever waits for the answer gets one. It
// takes the frame in parts, needs little memory whatever the frame is, and trusts nothing: only a complete "id"
// of the outermost object counts, and only if there is one.
type salvage struct {
	depth   int
	object  bool // the outermost container is an object
	quoted  bool
	escaped bool
	member  []byte // of the outermost object, so far, without what is nested in it
	last    jsonrpc.ID
	found   int // ids, good or bad
}

// memberBytes is how much of a member is kept: enough for any id worth answering.
const memberBytes = 512

func (s *salvage) feed(part []byte) {
	for _, b := range part {
		if s.depth == 1 && len(s.member) < memberBytes && (s.quoted || b != ',' && b != '}') {
			s.member = append(s.member, b)
		}
		switch {
		case s.escaped:
			s.escaped = false
		case s.quoted:
			s.escaped, s.quoted = b == '\\', b != '"'
		case b == '"':
			s.quoted = true
		case b == '{' || b == '[':
			if s.depth++; s.depth == 1 {
				s.object, s.member = b == '{', nil
			}
		case b == '}' || b == ']':
			s.settle()
			s.depth = max(s.depth-1, 0)
		case b == ',':
			s.settle()
		}
	}
}

// settle takes the member that just ended for what it is.
func (s *salvage) settle() {
	if s.depth != 1 {
		return
	}
	rest, named := bytes.CutPrefix(bytes.Trim(s.member, space), []byte(`"id"`))
	value, valued := bytes.CutPrefix(bytes.Trim(rest, space), []byte(":"))
	if s.object && named && valued {
		s.found++
		if id, err := parseID(bytes.Trim(value, space)); err == nil && len(s.member) < memberBytes {
			s.last = id
		}
	}
	s.member = s.member[:0]
}

// id returns the one id that was found, or an invalid one.
func (s *salvage) id() jsonrpc.ID {
	if s.found != 1 {
		return jsonrpc.ID{}
	}
	return s.last
}
