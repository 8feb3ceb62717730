package cli

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// What tmux's clients and its server say to each other: the same from 3.2a to 3.8. A message is a header (its kind, its whole length, the
// version of the protocol, a process) and a body; numbers are as the machine has them. Source: tmux-protocol.h and imsg.c of tmux.
const (
	protocolVersion = 8
	headerSize      = 16    // bytes
	greatestMessage = 16384 // bytes
)

// What a message is about.
const (
	messageVersion = 12 // the server speaks another version

	messageTerm       = 101
	messageTTY        = 102
	messageStdin      = 104
	messageIdentified = 106
	messagePID        = 107
	messageDirectory  = 108
	messageStdout     = 110
	messageFlags      = 111

	messageCommand    = 200
	messageDetach     = 201
	messageDetachKill = 202
	messageExit       = 203
	messageExited     = 204
	messageExiting    = 205
	messageShutdown   = 210
	messageExec       = 217

	messageReadOpen   = 300
	messageReadDone   = 302
	messageWriteOpen  = 303
	messageWrite      = 304
	messageWriteReady = 305
)

// The flags of a client that are sent: -N, -C and -u.
const (
	flagNoStart = 0x1000
	flagControl = 0x2000
	flagUTF8    = 0x10000
)

// markedSince is the first tmux in which the length of a message is a number of 32 bits, the highest of which says that a descriptor came
// with it. Before, the length had 16 bits, and another 16 were flags, the lowest of which said that.
const markedSince = tmux.Version("3.6")

// descriptorMark is what says in the length of a message that a descriptor comes with it. Whoever reads the other one takes the message for one that
// is too long, and ends the connection, or does not find the descriptor.
func descriptorMark(version tmux.Version) uint32 {
	if version.AtLeast(markedSince) {
		return 1 << 31
	}
	return 1 << 16
}

// errSpeech says that whoever is at the socket is no tmux that this is written for.
var errSpeech = errors.New("it does not speak version 8 of tmux's protocol")

// A message is one that the server sent.
type message struct {
	kind uint32
	body []byte
}

// number is the number that begins at a byte of the body.
func (m message) number(at int) int32 {
	if len(m.body) < at+4 {
		return -1
	}
	return int32(binary.NativeEndian.Uint32(m.body[at:]))
}

// text is the body's text behind its numbers.
func (m message) text(at int) string {
	if len(m.body) < at {
		return ""
	}
	return strings.TrimRight(string(m.body[at:]), "\x00")
}

// A peer is a connection to a server.
type peer struct {
	conn *net.UnixConn
	from *bufio.Reader
}

// next reads a message.
func (p *peer) next() (message, error) {
	var header [headerSize]byte
	if _, err := io.ReadFull(p.from, header[:]); err != nil {
		return message{}, err
	}
	kind, length := binary.NativeEndian.Uint32(header[:]), binary.NativeEndian.Uint32(header[4:])
	if version := header[8]; kind == messageVersion || version != protocolVersion || length < headerSize || length > greatestMessage {
		return message{}, errSpeech
	}
	body := make([]byte, length-headerSize)
	_, err := io.ReadFull(p.from, body)
	return message{kind, body}, err
}

// say sends messages in one write.
func (p *peer) say(messages []byte) error {
	_, err := p.conn.Write(messages)
	return err
}

// pass sends a message with a descriptor.
func (p *peer) pass(kind uint32, file *os.File, mark uint32) error {
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	header := compose(nil, kind, nil)
	binary.NativeEndian.PutUint32(header[4:], headerSize|mark)
	var failed error
	err = raw.Control(func(fd uintptr) { _, _, failed = p.conn.WriteMsgUnix(header, unix.UnixRights(int(fd)), nil) })
	return errors.Join(err, failed)
}

// refuse answers a server that asks for a file: that is not to be had here.
func (p *peer) refuse(m message) error {
	answer := uint32(messageReadDone)
	if m.kind == messageWriteOpen {
		answer = messageWriteReady
	}
	return p.say(compose(nil, answer, numbers(int(m.number(0)), int(unix.EBADF))))
}

func (p *peer) close() { _ = p.conn.Close() } // a second time is fine

// compose appends a message.
func compose(to []byte, kind uint32, body []byte) []byte {
	to = binary.NativeEndian.AppendUint32(to, kind)
	to = append(to, numbers(headerSize+len(body), protocolVersion, os.Getpid())...)
	return append(to, body...)
}

func numbers(all ...int) (out []byte) {
	for _, n := range all {
		out = binary.NativeEndian.AppendUint32(out, uint32(n))
	}
	return out
}

// introduce is what a client says of itself, except for its descriptors, and the command list that it runs. It has no environment.
//
// Before 3.7 tmux ends if it has something to tell control clients between the flag that makes this one of them and the last message that says who it
// is. So this is one write, of which tmux reads all before it does anything else: its buffer takes 65535 bytes.
func introduce(flags uint64, term string, argv []string) ([]byte, error) {
	directory, err := os.Getwd()
	if err != nil {
		directory = "/"
	}
	words := strings.Join(argv, "\x00") + "\x00"
	if headerSize+4+len(words) > greatestMessage {
		return nil, fmt.Errorf("the command list has %d bytes, more than tmux takes", len(words))
	}
	var out []byte
	out = compose(out, messageTerm, []byte(term+"\x00"))
	out = compose(out, messageTTY, []byte{0}) // without it tmux ends
	out = compose(out, messageDirectory, []byte(directory+"\x00"))
	out = compose(out, messagePID, numbers(os.Getpid()))
	out = compose(out, messageFlags, binary.NativeEndian.AppendUint64(nil, flags))
	out = compose(out, messageIdentified, nil)
	return compose(out, messageCommand, append(numbers(len(argv)), words...)), nil
}
