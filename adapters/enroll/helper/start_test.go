package helper_test

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/enroll/helper"
)

// pair are the two ends of a socket.
func pair(t *testing.T) (near, far *net.UnixConn) {
	t.Helper()
	dir, err := os.MkdirTemp("", "he") //nolint:usetesting // short: a socket is made in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	address := &net.UnixAddr{Name: filepath.Join(dir, "s"), Net: "unix"}
	listener, err := net.ListenUnix("unix", address)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if far, err = net.DialUnix("unix", nil, address); err != nil {
		t.Fatal(err)
	}
	if near, err = listener.AcceptUnix(); err != nil {
		t.Fatal(err)
	}
	for _, end := range []*net.UnixConn{near, far} {
		t.Cleanup(func() { _ = end.Close() }) // a test may have closed it
		if err := end.SetDeadline(time.Now().Add(hangBound)); err != nil {
			t.Fatal(err)
		}
	}
	return near, far
}

// What is no start, or brings descriptors that it should not, is malformed, and none of them stays open.
func TestMalformedStarts(t *testing.T) {
	for _, c := range []struct {
		name        string
		wire        string
		descriptors int
		want        error
	}{
		{"nothing", "", 0, io.EOF},
		{"half", "LT", 0, io.EOF},
		{"half, with a descriptor", "LT", 1, io.EOF},
		{"another mark", "LTS2", 0, helper.ErrMalformed},
		{"another mark with a descriptor", "LTS2", 1, helper.ErrMalformed},
		{"a grant", "LTG1", 0, helper.ErrMalformed},
		{"a report with a descriptor", "LTR1", 1, helper.ErrMalformed},
		{"a start with two descriptors", "LTS1", 2, helper.ErrMalformed},
		{"a start with many", "LTS1", 20, helper.ErrMalformed},
	} {
		t.Run(c.name, func(t *testing.T) {
			near, far := pair(t)
			read, write, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer read.Close()
			var rights []byte
			if c.descriptors > 0 {
				all := make([]int, c.descriptors)
				for i := range all {
					all[i] = int(write.Fd())
				}
				rights = unix.UnixRights(all...)
			}
			if c.wire != "" {
				if _, _, err := far.WriteMsgUnix([]byte(c.wire), rights, nil); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(far.Close(), write.Close()); err != nil {
				t.Fatal(err)
			}
			if script, _, err := helper.ReadStart(near); !errors.Is(err, c.want) || script != nil {
				t.Errorf("got %v, %v; want %v", script, err, c.want)
			}
			if err := read.SetReadDeadline(time.Now().Add(hangBound)); err != nil {
				t.Fatal(err)
			}
			if _, err := read.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
				t.Errorf("a descriptor is open: %v", err)
			}
		})
	}
}
