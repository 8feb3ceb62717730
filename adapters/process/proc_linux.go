package process

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A stat is what /proc/PID/stat says of a process. Source: proc_pid_stat(5).
type stat struct {
	command    string // at most 15 bytes
	state      byte
	parent     int
	terminal   uint64 // device number of the controlling terminal; 0 if none
	foreground int    // process group in the foreground of that terminal; -1 if none
	started    uint64 // clock ticks (1/100 s) since boot
	flags      uint32 // of the kernel: see exiting
	exit       int32  // as waitpid(2) tells it; of a process that has ended, and 0 too if it is not told
}

// readStat reads and parses /proc/PID/stat. The error wraps fs.ErrNotExist if there is no such process.
func readStat(pid int) (stat, error) {
	text, err := os.ReadFile(procPath(pid, "stat"))
	if err != nil {
		return stat{}, err
	}
	return parseStat(string(text))
}

// parseStat takes the command from between the first and the last parenthesis, because it may hold any byte.
func parseStat(text string) (stat, error) {
	begin, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if begin < 0 || end < begin {
		return stat{}, fmt.Errorf("no command in %q", text)
	}
	fields := strings.Fields(text[end+1:]) // fields[0] is the third of the manual page
	const last = 49
	if len(fields) <= last || len(fields[0]) != 1 {
		return stat{}, fmt.Errorf("%d fields after the command in %q", len(fields), text)
	}
	s := stat{command: text[begin+1 : end], state: fields[0][0]}
	var device int64
	for _, number := range []struct {
		field int
		into  any
	}{{1, &s.parent}, {4, &device}, {5, &s.foreground}, {6, &s.flags}, {19, &s.started}, {last, &s.exit}} {
		if _, err := fmt.Sscan(fields[number.field], number.into); err != nil {
			return stat{}, fmt.Errorf("field %d of %q: %w", number.field+3, text, err)
		}
	}
	s.terminal = decodeDevice(uint32(device))
	return s, nil
}

// readArgv reads /proc/PID/cmdline; nil if that cannot be.
func readArgv(pid int) []string {
	text, err := os.ReadFile(procPath(pid, "cmdline"))
	if err != nil || len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
}

// readExecutable gives the base name of the program's file; empty if that may not be read. A file that was replaced meanwhile
// keeps its name.
func readExecutable(pid int) string {
	link, err := os.Readlink(procPath(pid, "exe"))
	if err != nil {
		return ""
	}
	return filepath.Base(strings.TrimSuffix(link, " (deleted)"))
}

// readUser gives the real uid of a process; false if it cannot be read.
func readUser(pid int) (int, bool) {
	text, err := os.ReadFile(procPath(pid, "status"))
	if err != nil {
		return 0, false
	}
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte("Uid:")); ok {
			if fields := strings.Fields(string(rest)); len(fields) > 0 {
				uid, err := strconv.Atoi(fields[0])
				return uid, err == nil
			}
		}
	}
	return 0, false
}

// readWaitChannel gives the kernel function in which a process sleeps. The kernel writes "0" for one that runs, and to whom it
// tells nothing.
func readWaitChannel(pid int) string {
	text, err := os.ReadFile(procPath(pid, "wchan"))
	if err != nil || string(text) == "0" {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// readCount gives how many bytes a process that is inside read(0, ...) asked for, or -1.
func readCount(pid int) int {
	text, err := os.ReadFile(procPath(pid, "syscall"))
	if err != nil {
		return -1
	}
	return parseSyscall(string(text))
}

// parseSyscall parses /proc/PID/syscall: the number of the call and its arguments, or "running". Source: proc(5).
func parseSyscall(text string) int {
	fields := strings.Fields(text)
	if len(fields) < 4 || fields[0] != strconv.Itoa(unix.SYS_READ) || fields[1] != "0x0" {
		return -1
	}
	count, err := strconv.ParseInt(fields[3], 0, 64)
	if err != nil {
		return -1
	}
	return int(count)
}

// decodeDevice turns the kernel's 32-bit device number, as in /proc/PID/stat, into the one of stat(2).
func decodeDevice(device uint32) uint64 {
	return unix.Mkdev((device>>8)&0xfff, device&0xff|(device>>12)&0xfff00)
}

func procPath(pid int, name string) string { return filepath.Join("/proc", strconv.Itoa(pid), name) }
