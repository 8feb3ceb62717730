package helper

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// session gives the script one of its own, without a terminal. It does not outlive this process: the thread that the signal is bound
// to is the main one, on which packages are initialized.
func session() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: unix.SIGKILL}
}
