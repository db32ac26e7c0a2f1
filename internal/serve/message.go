package serve

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/fxamacker/cbor/v2"
)

// Limits of a message.
const (
	maxMessage = 1 << 20
	maxNesting = 16
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
