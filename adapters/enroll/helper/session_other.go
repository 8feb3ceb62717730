//go:build !linux

package helper

import "syscall"

// session gives the script one of its own, without a terminal.
func session() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
