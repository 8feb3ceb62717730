package helper_test

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/enroll/helper"
)

// What comes with the start still means the script's process group when the helper and the script's sh are gone.
func TestStartOutlivesTheHelper(t *testing.T) {
	self, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(self)
	if errors.Is(unix.PidfdSendSignal(self, 0, nil, unix.PIDFD_SIGNAL_PROCESS_GROUP), unix.EINVAL) {
		t.Skip("the kernel is older than 6.9")
	}
	cmd, conn, alive := startScript(t, "sleep 300 & sh -c 'sleep 300; :' & echo >&9; wait")
	script, _, err := helper.ReadStart(conn)
	if err != nil {
		t.Fatal(err)
	}
	defer script.Close()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if got := status(t, cmd); got != -1 {
		t.Errorf("the helper ended with %d, want by a signal", got)
	}
	if err := unix.PidfdSendSignal(int(script.Fd()), unix.SIGKILL, nil, unix.PIDFD_SIGNAL_PROCESS_GROUP); err != nil {
		t.Errorf("nothing was left to kill: %v", err)
	}
	alive.ends()
}
