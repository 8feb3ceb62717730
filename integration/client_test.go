//go:build integration

package integration_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// What tmux's client and server say to each other, as far as a command that prints needs it: the same from 3.2a on. A message is a header
// (its type, its whole length, the version of the protocol, a process) and a body, numbers as the machine has them.
const (
	msgVersion    = 8
	msgHeader     = 16
	msgLargest    = 16384
	msgSpeaksUTF8 = 0x10000 // the flag -u

	msgTerm, msgTTY, msgEnviron, msgIdentified           = 101, 102, 105, 106
	msgPID, msgCWD, msgFlags                             = 107, 108, 111
	msgCommand, msgExit, msgExited, msgExiting, msgShut  = 200, 203, 204, 205, 210
	msgWriteOpen, msgWrite, msgWriteReady, msgWriteClose = 303, 304, 305, 306
)

// errNotSpoken says that a command was not begun, and is the binary's to run.
var errNotSpoken = errors.New("not for the harness's client")

// unspoken are the commands that read or write a client's files or its terminal.
var unspoken = []string{"attach-session", "attach", "load-buffer", "save-buffer", "source-file", "source"}

// speak runs a command line as tmux's own client does, without its process: the tests run ten thousands of commands, and to load
// and link a client costs more than what it then does. env is the client's environment.
func (s *realServer) speak(ctx context.Context, env, args []string) (string, error) {
	words := strings.Join(args, "\x00") + "\x00"
	if strings.HasPrefix(args[0], "-") || msgHeader+4+len(words) > msgLargest || slices.ContainsFunc(args, func(arg string) bool { return slices.Contains(unspoken, arg) }) {
		return "", errNotSpoken
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", s.Socket)
	if err != nil {
		return "", errNotSpoken // to start a server, or to say why there is none
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	cwd, err := os.Getwd()
	if err != nil {
		return "", err
	}
	var hello bytes.Buffer
	say(&hello, msgFlags, binary.NativeEndian.AppendUint64(nil, msgSpeaksUTF8))
	say(&hello, msgTerm, []byte(os.Getenv("TERM")+"\x00"))
	say(&hello, msgTTY, []byte{0})
	say(&hello, msgCWD, []byte(cwd+"\x00"))
	say(&hello, msgPID, uint32Of(os.Getpid()))
	for _, variable := range env {
		if msgHeader+len(variable)+1 <= msgLargest {
			say(&hello, msgEnviron, []byte(variable+"\x00"))
		}
	}
	say(&hello, msgIdentified, nil)
	say(&hello, msgCommand, append(uint32Of(len(args)), words...))
	if _, err := conn.Write(hello.Bytes()); err != nil {
		return "", err
	}
	return listen(conn)
}

// listen takes what the command prints, until it has ended.
func listen(conn net.Conn) (string, error) {
	from := bufio.NewReader(conn)
	var out bytes.Buffer
	var status int32
	for {
		var header [msgHeader]byte
		if _, err := io.ReadFull(from, header[:]); err != nil {
			return out.String(), fmt.Errorf("the server is lost: %w", err)
		}
		body := make([]byte, int(binary.NativeEndian.Uint16(header[4:]))-msgHeader) // at most 16384, whatever the bits above say
		if _, err := io.ReadFull(from, body); err != nil {
			return out.String(), fmt.Errorf("the server is lost: %w", err)
		}
		var answer bytes.Buffer
		switch what := binary.NativeEndian.Uint32(header[:]); what {
		case msgWriteOpen:
			if stream := int32(binary.NativeEndian.Uint32(body[4:])); stream != 1 && stream != 2 {
				return out.String(), fmt.Errorf("the command writes the file %q", body[12:])
			}
			say(&answer, msgWriteReady, append(body[:4:4], uint32Of(0)...))
		case msgWrite:
			out.Write(body[4:])
		case msgWriteClose:
		case msgExit, msgShut:
			if len(body) >= 4 {
				status = int32(binary.NativeEndian.Uint32(body))
			}
			say(&answer, msgExiting, nil)
		case msgExited:
			if status != 0 {
				return out.String(), fmt.Errorf("exit status %d", status)
			}
			return out.String(), nil
		default:
			return out.String(), fmt.Errorf("the server says %d, which the harness's client does not know", what)
		}
		if _, err := conn.Write(answer.Bytes()); err != nil {
			return out.String(), err
		}
	}
}

// say appends a message.
func say(to *bytes.Buffer, what uint32, body []byte) {
	header := binary.NativeEndian.AppendUint32(nil, what)
	for _, field := range []int{msgHeader + len(body), msgVersion, os.Getpid()} {
		header = append(header, uint32Of(field)...)
	}
	to.Write(append(header, body...))
}

func uint32Of(n int) []byte { return binary.NativeEndian.AppendUint32(nil, uint32(n)) }

// TestHarnessSpeaksAsTheClient holds the harness's client to tmux's: the same is printed, and the same fails.
func TestHarnessSpeaksAsTheClient(t *testing.T) {
	eachTmux(t, func(t *testing.T, tmux string) {
		s := startServer(t, tmux)
		s.Tmux(t, "set-option", "-g", "@long", strings.Repeat("€uro ", 1000), ";", "set-environment", "-g", "THERE", "yes")
		env := harnessEnv()
		for name, args := range map[string][]string{
			"text of several bytes":   {"display-message", "-p", "#{session_name} é€😀 #{pane_id} #{client_name}x"},
			"nothing":                 {"set-option", "-g", "@x", "y"},
			"a long answer":           slices.Repeat([]string{"show-options", "-gv", "@long", ";"}, 9)[:9*4-1],
			"a long list":             {"list-keys"},
			"a buffer":                {"set-buffer", "-b", "b", "text\nof lines\n", ";", "show-buffer", "-b", "b"},
			"what a program prints":   {"run-shell", "echo out; echo $THERE; exit 0"},
			"a program that fails":    {"run-shell", "exit 3"},
			"a target that is none":   {"list-panes", "-t", "none"},
			"a command that is none":  {"none"},
			"a list that fails midst": {"set-option", "-g", "@x", "one", ";", "kill-pane", "-t", "%99", ";", "display-message", "-p", "two"},
			"where panes start":       {"new-window", "-d", "-P", "-F", "#{pane_start_path}"},
			"a session":               {"new-session", "-d", "-P", "-F", "#{window_width}x#{window_height}", "-x", "70", "-y", "20", ";", "kill-session"},
		} {
			t.Run(name, func(t *testing.T) {
				cmd := exec.Command(s.Binary, append([]string{"-u", "-S", s.Socket}, args...)...)
				cmd.Env = env
				want, failed := cmd.CombinedOutput()
				got, err := s.speak(t.Context(), env, args)
				if got != string(want) || (err != nil) != (failed != nil) || failed != nil && err.Error() != failed.Error() {
					t.Errorf("%q: %.300q, %v; of tmux's client: %.300q, %v", args, got, err, want, failed)
				}
			})
		}
		out, err := s.speak(t.Context(), env, []string{"kill-server"})
		if out != "" || err != nil {
			t.Errorf("kill-server: %q, %v", out, err)
		}
		eventually(t, "nobody listens", func() (bool, string) {
			_, err := s.speak(t.Context(), env, []string{"list-panes"})
			return errors.Is(err, errNotSpoken), fmt.Sprint(err)
		})
	})
}
