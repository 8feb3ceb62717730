package stdio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// What a frame may hold at most: far beyond any message of MCP, far below what costs memory or stack.
const (
	maxDepth = 64
	maxNodes = 64 << 10
)

// A scan is one pass over the tokens of a JSON text that is known to be well formed. It finds what a decoder
// would pass over in silence: repeated names, characters that do not exist, excessive structure.
type scan struct {
	text  []byte
	at    int // of the next byte
	nodes int // values so far
}

// members scans the object that the text is and returns its members by name.
func (s *scan) members() (map[string]json.RawMessage, error) {
	members := map[string]json.RawMessage{}
	s.space()
	err := s.object(1, func(name string, value []byte) { members[name] = value })
	return members, err
}

func (s *scan) value(depth int) error {
	if s.nodes++; s.nodes > maxNodes {
		return fmt.Errorf("more than %d values", maxNodes)
	}
	switch first := s.text[s.at]; {
	case first == '"':
		_, err := s.quoted()
		return err
	case first != '{' && first != '[': // a number, true, false or null, which something follows in its container
		s.at += bytes.IndexAny(s.text[s.at:], ",]}"+space)
		return nil
	case depth > maxDepth:
		return fmt.Errorf("nested deeper than %d", maxDepth)
	case first == '[':
		return s.array(depth)
	default:
		return s.object(depth, func(string, []byte) {})
	}
}

func (s *scan) array(depth int) error {
	for s.at++; ; s.at++ { // over the bracket, then over each comma
		s.space()
		if s.text[s.at] != ']' {
			if err := s.value(depth + 1); err != nil {
				return err
			}
			s.space()
		}
		if s.text[s.at] == ']' {
			s.at++
			return nil
		}
	}
}

func (s *scan) object(depth int, member func(name string, value []byte)) error {
	seen := map[string]struct{}{}
	for s.at++; ; s.at++ {
		s.space()
		if s.text[s.at] != '}' {
			name, err := s.name()
			if err != nil {
				return err
			}
			if _, twice := seen[name]; twice {
				return fmt.Errorf("the name %.64q is given twice in one object", name)
			}
			seen[name] = struct{}{}
			s.space()
			s.at++ // the colon
			s.space()
			start := s.at
			if err := s.value(depth + 1); err != nil {
				return err
			}
			member(name, s.text[start:s.at])
			s.space()
		}
		if s.text[s.at] == '}' {
			s.at++
			return nil
		}
	}
}

func (s *scan) space() {
	s.at = len(s.text) - len(bytes.TrimLeft(s.text[s.at:], space))
}

// name scans a string and returns what it says, so that escapes do not hide a repetition.
func (s *scan) name() (string, error) {
	quoted, err := s.quoted()
	if err != nil {
		return "", err
	}
	if !bytes.ContainsRune(quoted, '\\') {
		return string(quoted[1 : len(quoted)-1]), nil
	}
	var name string
	err = json.Unmarshal(quoted, &name)
	return name, err
}

// quoted scans a string and returns it with its quotes. An escaped surrogate without its other half is refused:
// it is no character, and a decoder would put U+FFFD in its place.
func (s *scan) quoted() ([]byte, error) {
	start := s.at
	for s.at++; s.text[s.at] != '"'; s.at++ {
		if s.text[s.at] != '\\' {
			continue
		}
		s.at++
		if s.text[s.at] != 'u' {
			continue
		}
		switch unit := s.unit(); {
		case unit >= 0xdc00 && unit < 0xe000:
			return nil, fmt.Errorf(`the escape \u%04x is half a character`, unit)
		case unit >= 0xd800 && unit < 0xdc00:
			if !bytes.HasPrefix(s.text[s.at+1:], []byte(`\u`)) {
				return nil, fmt.Errorf(`the escape \u%04x is half a character`, unit)
			}
			s.at += 2
			if low := s.unit(); low < 0xdc00 || low >= 0xe000 {
				return nil, fmt.Errorf(`the escape \u%04x is half a character`, unit)
			}
		}
	}
	s.at++
	return s.text[start:s.at], nil
}

// unit scans the four digits after the u at which the scan stands, and stays at the last.
func (s *scan) unit() uint64 {
	unit, err := strconv.ParseUint(string(s.text[s.at+1:s.at+5]), 16, 16)
	if err != nil {
		panic("stdio: scan of a text that is not well formed: " + err.Error())
	}
	s.at += 4
	return unit
}
