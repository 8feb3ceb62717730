package helper_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/enroll/helper"
)

func TestMessagesArriveAsTheyAre(t *testing.T) {
	var wire bytes.Buffer
	for _, want := range []helper.Grant{
		{}, {StdoutLimit: 262144, StderrLimit: 1, Script: "echo a\x01\xff"}, {Script: strings.Repeat("x", 65536)},
	} {
		if err := helper.WriteGrant(&wire, want); err != nil {
			t.Fatal(err)
		}
		got, err := helper.ReadGrant(&wire)
		if diff := cmp.Diff(want, got); err != nil || diff != "" || wire.Len() > 0 {
			t.Errorf("%v, %d bytes are left (-want +got):\n%s", err, wire.Len(), diff)
		}
	}
	about := helper.Grant{StdoutLimit: 262144, StderrLimit: 262144}
	for _, want := range []helper.Report{
		{Kind: helper.Exited, Code: 255, Stdout: []byte{0, 255}, Stderr: []byte("e"), Open: true},
		{Kind: helper.Signaled, Code: 9, Stdout: bytes.Repeat([]byte("o"), 262144), Stderr: bytes.Repeat([]byte("e"), 262144)},
		{Kind: helper.OverflowStderr, Stdout: []byte{}, Stderr: []byte{}},
		{Kind: helper.NotStarted, Stdout: []byte("why"), Stderr: []byte{}},
	} {
		if err := helper.WriteReport(&wire, want); err != nil {
			t.Fatal(err)
		}
		got, err := helper.ReadReport(&wire, about)
		if diff := cmp.Diff(want, got); err != nil || diff != "" || wire.Len() > 0 {
			t.Errorf("%v, %d bytes are left (-want +got):\n%s", err, wire.Len(), diff)
		}
	}
}

// message is a message's fixed part and what follows.
func message(mark string, fields ...any) []byte {
	wire := bytes.NewBufferString(mark)
	for _, field := range fields {
		if err := binary.Write(wire, binary.BigEndian, field); err != nil {
			panic(err) // a number
		}
	}
	return wire.Bytes()
}

// What is malformed or longer than it may be is refused before its length is believed.
func TestMalformedMessages(t *testing.T) {
	const huge = uint32(1 << 31)
	for name, c := range map[string]struct {
		wire []byte
		want error
	}{
		"nothing":            {nil, io.EOF},
		"another mark":       {message("LTG2", uint32(1), uint32(1), uint32(0)), helper.ErrMalformed},
		"a report":           {message("LTR1", uint32(1), uint32(1), uint32(0)), helper.ErrMalformed},
		"a script too long":  {message("LTG1", uint32(1), uint32(1), uint32(65537)), helper.ErrMalformed},
		"a huge script":      {message("LTG1", uint32(1), uint32(1), huge), helper.ErrMalformed},
		"a limit too great":  {message("LTG1", uint32(262145), uint32(1), uint32(0)), helper.ErrMalformed},
		"another limit":      {message("LTG1", uint32(1), huge, uint32(0)), helper.ErrMalformed},
		"half of its head":   {message("LTG1", uint32(1)), io.ErrUnexpectedEOF},
		"half of its script": {append(message("LTG1", uint32(1), uint32(1), uint32(8)), "echo"...), io.ErrUnexpectedEOF},
		"none of its script": {message("LTG1", uint32(1), uint32(1), uint32(8)), io.EOF},
	} {
		if got, err := helper.ReadGrant(bytes.NewReader(c.wire)); !errors.Is(err, c.want) {
			t.Errorf("as a grant, %s: %+v, %v; want %v", name, got, err, c.want)
		}
	}
	about := helper.Grant{StdoutLimit: 3, StderrLimit: 0}
	report := func(kind, open byte, code, stdout, stderr uint32, data string) []byte {
		return append(message("LTR1", kind, open, uint16(0), code, stdout, stderr), data...)
	}
	for name, c := range map[string]struct {
		wire []byte
		want error
	}{
		"nothing":               {nil, io.EOF},
		"a grant":               {message("LTG1", uint32(1), uint32(1), uint32(0), uint32(0), uint32(0)), helper.ErrMalformed},
		"no kind":               {report(0, 0, 0, 0, 0, ""), helper.ErrMalformed},
		"a later kind":          {report(6, 0, 0, 0, 0, ""), helper.ErrMalformed},
		"more than was granted": {report(1, 0, 0, 4, 0, "four"), helper.ErrMalformed},
		"more than none":        {report(1, 0, 0, 0, 1, "e"), helper.ErrMalformed},
		"huge":                  {report(1, 0, 0, huge, 0, ""), helper.ErrMalformed},
		"a reason too long":     {report(5, 0, 0, 4097, 0, ""), helper.ErrMalformed},
		"half of what it says":  {report(1, 0, 0, 3, 0, "ou"), io.ErrUnexpectedEOF},
	} {
		if got, err := helper.ReadReport(bytes.NewReader(c.wire), about); !errors.Is(err, c.want) {
			t.Errorf("as a report, %s: %+v, %v; want %v", name, got, err, c.want)
		}
	}
}

// Whatever comes is refused, or is within its bounds and means the same when it is sent again.
func FuzzMessages(f *testing.F) {
	f.Add(message("LTG1", uint32(1), uint32(2), uint32(4)), 3)
	f.Add(append(message("LTG1", uint32(1), uint32(2), uint32(4)), "true"...), 3)
	f.Add(append(message("LTR1", byte(1), byte(1), uint16(0), uint32(3), uint32(3), uint32(1)), "oute"...), 3)
	f.Add(append(message("LTR1", byte(5), byte(0), uint16(0), uint32(0), uint32(3), uint32(0)), "why"...), 0)
	f.Fuzz(func(t *testing.T, wire []byte, limit int) {
		var again bytes.Buffer
		if grant, err := helper.ReadGrant(bytes.NewReader(wire)); err == nil {
			if len(grant.Script) > 65536 || grant.StdoutLimit > 262144 || grant.StderrLimit > 262144 {
				t.Errorf("out of bounds: %d, %d, %d bytes", len(grant.Script), grant.StdoutLimit, grant.StderrLimit)
			}
			if err := helper.WriteGrant(&again, grant); err != nil || !bytes.HasPrefix(wire, again.Bytes()) {
				t.Errorf("%v: %q became %q", err, wire, again.Bytes())
			}
		}
		about := helper.Grant{StdoutLimit: limit & 0xff, StderrLimit: limit >> 8 & 0xff}
		report, err := helper.ReadReport(bytes.NewReader(wire), about)
		if err != nil {
			return
		}
		if report.Kind != helper.NotStarted && (len(report.Stdout) > about.StdoutLimit || len(report.Stderr) > about.StderrLimit) {
			t.Errorf("%+v has %d and %d bytes", about, len(report.Stdout), len(report.Stderr))
		}
		again.Reset()
		if err := helper.WriteReport(&again, report); err != nil {
			t.Fatal(err)
		}
		if same, err := helper.ReadReport(&again, about); err != nil || !cmp.Equal(report, same) {
			t.Errorf("%v: %+v became %+v", err, report, same)
		}
	})
}
