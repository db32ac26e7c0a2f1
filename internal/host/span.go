package host

import "irgl/internal/device"

// A span is the time from the first launch of a run to the end of the last, by the
// device's clock. Its end is marked again each time that the host is about to wait
// for the device, while that is at work: a mark behind the last wait would count what
// the host does then. The zero span marks nothing.
type span struct {
	began, ended device.Event
	whole        bool // the end is marked once, by close
	open         bool // began is marked
	behind       bool // something was launched since ended was marked
}

// begin marks the beginning, once, and with it the end of a run without a launch.
func (s *span) begin() error {
	if s.open || s.began == nil {
		return nil
	}
	s.open, s.behind = true, true
	return s.began.Record()
}

// launched notes that there is more to wait for.
func (s *span) launched() { s.behind = s.open }

// mark marks the end behind all launches so far.
func (s *span) mark() error {
	if s.whole || !s.behind {
		return nil
	}
	s.behind = false
	return s.ended.Record()
}

// close marks what is left.
func (s *span) close() error {
	if err := s.begin(); err != nil {
		return err
	}
	s.whole = false
	return s.mark()
}
