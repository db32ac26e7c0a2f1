package serve

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/fxamacker/cbor/v2"
)

// Limits of a message.
const (
	maxMessage = 1 << 20
	maxNesting = 16
	replyRoom  = 64 // for the parts of a reply that all have
)

// A header is what all requests have.
type header struct {
	ID    uint64 `cbor:"id"`
	Do    string `cbor:"do"`
	Queue uint64 `cbor:"queue"`
	Quiet bool   `cbor:"quiet"`
}

// modes are the codec's: the subset of CBOR that the protocol uses.
type modes struct {
	head   cbor.DecMode // ignores what it does not know
	strict cbor.DecMode // refuses it
	enc    cbor.EncMode
}

func newModes() (m modes, err error) {
	simple, err := cbor.NewSimpleValueRegistryFromDefaults(cbor.WithRejectedSimpleValue(23)) // undefined
	if err != nil {
		return m, err
	}
	o := cbor.DecOptions{
		DupMapKey: cbor.DupMapKeyEnforcedAPF, MaxNestedLevels: maxNesting, MaxArrayElements: maxMessage, MaxMapPairs: maxMessage,
		IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden, SimpleValues: simple,
		FieldNameMatching: cbor.FieldNameMatchingCaseSensitive,
		UTF8:              cbor.UTF8DecodeInvalid, // names of files in texts are any bytes
	}
	if m.head, err = o.DecMode(); err != nil {
		return m, err
	}
	o.ExtraReturnErrors = cbor.ExtraDecErrorUnknownField
	if m.strict, err = o.DecMode(); err != nil {
		return m, err
	}
	m.enc, err = cbor.EncOptions{IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden}.EncMode()
	return m, err
}

// errLength is that of a message whose length is out of range.
type errLength uint32

func (e errLength) Error() string {
	return fmt.Sprintf("a message of %d bytes: it has 1 to %d", uint32(e), maxMessage)
}

// tooLong is the error of a request whose reply would be too long.
func tooLong(do string, length errLength) *failure {
	return &failure{Kind: kindArgument, Message: fmt.Sprintf("%s: the reply would be %v", do, length)}
}

// fits returns an error if the reply to a request would be too long.
func (m *modes) fits(do string, reply any) error {
	b, err := m.enc.Marshal(reply)
	if err == nil && len(b) > maxMessage-replyRoom {
		err = tooLong(do, errLength(len(b)))
	}
	return err
}

// readMessage reads one message. The error is io.EOF at the end of the input, and
// io.ErrUnexpectedEOF in the middle of a message.
func readMessage(r io.Reader) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(length[:])
	if n == 0 || n > maxMessage {
		return nil, errLength(n)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return b, nil
}

// writeMessage writes one message.
func (m *modes) writeMessage(w io.Writer, v any) error {
	b, err := m.enc.Marshal(v)
	if err != nil {
		return err
	}
	if len(b) > maxMessage {
		return errLength(len(b))
	}
	_, err = w.Write(append(binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(b)), uint32(len(b))), b...))
	return err
}

// argumentError says which argument of the request in raw is unknown or has a value of the wrong kind.
func argumentError(raw []byte, err error) error {
	if e, ok := errors.AsType[*cbor.UnmarshalTypeError](err); ok && e.StructFieldName != "" {
		return fmt.Errorf("argument %q cannot be %s", e.StructFieldName[strings.LastIndexByte(e.StructFieldName, '.')+1:], withArticle(e.CBORType))
	}
	if e, ok := errors.AsType[*cbor.UnknownFieldError](err); ok {
		if name, ok := key(raw, e.Index); ok {
			return fmt.Errorf("there is no argument %q", name)
		}
	}
	return fmt.Errorf("arguments: %w", err)
}

// withArticle puts an article in front of the name of a kind of CBOR's values.
func withArticle(kind string) string {
	switch {
	case kind == "primitives": // what are not numbers of CBOR's other kinds
		return "a simple value or a float"
	case strings.ContainsRune("aeiou", rune(kind[0])):
		return "an " + kind
	}
	return "a " + kind
}

// key returns the key with a number, from 0 on, of the map in raw, which is well formed.
func key(raw []byte, number int) (string, bool) {
	heads := 1 // bytes of the map's kind and length
	if n := raw[0] & 31; n >= 24 {
		heads += 1 << (n - 24)
	}
	rest := raw[heads:]
	for i := 0; ; i++ {
		var name string
		var value cbor.RawMessage
		var err error
		if rest, err = cbor.UnmarshalFirst(rest, &name); err != nil {
			return "", false
		}
		if i == number {
			return name, true
		}
		if rest, err = cbor.UnmarshalFirst(rest, &value); err != nil {
			return "", false
		}
	}
}
