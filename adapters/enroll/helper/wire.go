package helper

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
)

// A Grant is what the helper is told.
type Grant struct {
	StdoutLimit int // bytes
	StderrLimit int // bytes
	Script      string
}

// Digest is the script's, as enroll.Digest makes it.
func (g Grant) Digest() string {
	sum := sha256.Sum256([]byte(g.Script))
	return hex.EncodeToString(sum[:])
}

// A Kind says how a script ended.
type Kind byte

// The kinds.
const (
	Exited         Kind = 1
	Signaled       Kind = 2
	OverflowStdout Kind = 3 // it wrote more than the limit, and was ended
	OverflowStderr Kind = 4
	NotStarted     Kind = 5 // there was no process; Stdout says why
)

// A Report is what the helper tells.
type Report struct {
	Kind   Kind
	Open   bool   // a process still held an output
	Code   uint32 // exit status or number of a signal
	Stdout []byte
	Stderr []byte
}

// Both messages begin with a mark and have lengths that are bounded before anything is read.
const (
	grantMark  = "LTG1"
	reportMark = "LTR1"
	maxScript  = 64 << 10
	maxOutput  = 256 << 10
	maxReason  = 4 << 10
)

// ErrMalformed is a message that is not of this wire.
var ErrMalformed = errors.New("malformed message")

type grantHead struct {
	Mark           [4]byte
	Stdout, Stderr uint32
	Script         uint32
}

type reportHead struct {
	Mark           [4]byte
	Kind           Kind
	Open           bool
	_              [2]byte
	Code           uint32
	Stdout, Stderr uint32
}

// WriteGrant sends a grant.
func WriteGrant(to io.Writer, g Grant) error {
	head := grantHead{Mark: [4]byte([]byte(grantMark)), Stdout: uint32(g.StdoutLimit), Stderr: uint32(g.StderrLimit), Script: uint32(len(g.Script))}
	return send(to, head, []byte(g.Script))
}

// ReadGrant receives one. What is out of bounds is ErrMalformed.
func ReadGrant(from io.Reader) (Grant, error) {
	var head grantHead
	if err := binary.Read(from, binary.BigEndian, &head); err != nil {
		return Grant{}, err
	}
	if string(head.Mark[:]) != grantMark || head.Script > maxScript || head.Stdout > maxOutput || head.Stderr > maxOutput {
		return Grant{}, ErrMalformed
	}
	script := make([]byte, head.Script)
	_, err := io.ReadFull(from, script)
	return Grant{StdoutLimit: int(head.Stdout), StderrLimit: int(head.Stderr), Script: string(script)}, err
}

// WriteReport sends a report.
func WriteReport(to io.Writer, r Report) error {
	r.Stdout = r.Stdout[:min(len(r.Stdout), maxOutput)]
	head := reportHead{
		Mark: [4]byte([]byte(reportMark)), Kind: r.Kind, Open: r.Open, Code: r.Code, Stdout: uint32(len(r.Stdout)), Stderr: uint32(len(r.Stderr)),
	}
	return send(to, head, r.Stdout, r.Stderr)
}

// ReadReport receives one about a grant. What is out of its bounds, or no report, is ErrMalformed.
func ReadReport(from io.Reader, about Grant) (Report, error) {
	var head reportHead
	if err := binary.Read(from, binary.BigEndian, &head); err != nil {
		return Report{}, err
	}
	stdout, stderr := uint32(about.StdoutLimit), uint32(about.StderrLimit)
	if head.Kind == NotStarted {
		stdout, stderr = maxReason, 0
	}
	if string(head.Mark[:]) != reportMark || head.Kind < Exited || head.Kind > NotStarted || head.Stdout > stdout || head.Stderr > stderr {
		return Report{}, ErrMalformed
	}
	data := make([]byte, head.Stdout+head.Stderr)
	_, err := io.ReadFull(from, data)
	return Report{Kind: head.Kind, Open: head.Open, Code: head.Code, Stdout: data[:head.Stdout], Stderr: data[head.Stdout:]}, err
}

func send(to io.Writer, head any, data ...[]byte) error {
	var message bytes.Buffer
	if err := binary.Write(&message, binary.BigEndian, head); err != nil {
		return err
	}
	for _, d := range data {
		message.Write(d)
	}
	_, err := to.Write(message.Bytes())
	return err
}
