package helper

import (
	"bytes"
	"errors"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// startMark is all of the message by which a helper tells that it has started the script. A descriptor comes with it, where the system has such
// for processes: it means the script's, and its group, whatever becomes of the helper and of the numbers that they had.
const startMark = "LTS1"

// A Conn is an end of the socket between a server and a helper.
type Conn interface {
	io.Reader
	syscall.Conn
}

// WriteStart tells that the script was started. It comes before the report.
func WriteStart(to Conn, script *os.Process) error {
	raw, err := to.SyscallConn()
	if err != nil {
		return err
	}
	send := func(rights []byte) error {
		var sent error
		ready := raw.Write(func(fd uintptr) bool {
			sent = unix.Sendmsg(int(fd), []byte(startMark), rights, nil, 0)
			return !errors.Is(sent, unix.EAGAIN)
		})
		return errors.Join(ready, sent)
	}
	if script.WithHandle(func(handle uintptr) { err = send(unix.UnixRights(int(handle))) }) != nil { // the system has none
		return send(nil)
	}
	return err
}

// ReadStart receives what a helper says first. Script is nil if nothing was started, or if the system has no descriptors of processes; the
// caller closes it. The report is what follows in rest.
func ReadStart(from Conn) (script *os.File, rest io.Reader, err error) {
	mark := make([]byte, len(startMark))
	script, n, err := receive(from, mark)
	if err == nil {
		_, err = io.ReadFull(from, mark[n:])
	}
	switch {
	case err != nil:
	case string(mark) == startMark:
		return script, from, nil
	case string(mark) == reportMark && script == nil:
		return nil, io.MultiReader(bytes.NewReader(mark), from), nil
	default:
		err = ErrMalformed
	}
	if script != nil {
		err = errors.Join(err, script.Close())
	}
	return nil, nil, err
}

// receive reads once, and the descriptor if one comes with the data.
func receive(from Conn, data []byte) (file *os.File, n int, err error) {
	raw, err := from.SyscallConn()
	if err != nil {
		return nil, 0, err
	}
	rights := make([]byte, unix.CmsgSpace(4))
	ready := raw.Read(func(fd uintptr) bool {
		syscall.ForkLock.RLock() // until no child inherits it
		defer syscall.ForkLock.RUnlock()
		var length int
		if n, length, _, _, err = unix.Recvmsg(int(fd), data, rights, 0); err == nil {
			file, err = descriptor(rights[:length])
		}
		return !errors.Is(err, unix.EAGAIN)
	})
	if ready == nil && err == nil && n == 0 {
		err = io.EOF
	}
	return file, n, errors.Join(ready, err)
}

// descriptor is the one that came; nil if none did. More are malformed.
func descriptor(rights []byte) (file *os.File, err error) {
	messages, err := unix.ParseSocketControlMessage(rights)
	for _, message := range messages {
		received, _ := unix.ParseUnixRights(&message) // fails if it is something else, which holds none
		for _, fd := range received {
			unix.CloseOnExec(fd)
			if file != nil {
				err = errors.Join(ErrMalformed, err, unix.Close(fd))
				continue
			}
			file = os.NewFile(uintptr(fd), "script")
		}
	}
	return file, err
}
