package host

import "irgl/internal/device"

// A span is the time from the first launch of a run to the end of the last, by the
// device's clock. An event marks its end each time before the host waits for the
// device, while that is busy: an event recorded after the last wait would include
// host time. The zero span does nothing.
type span struct {
	began, ended device.Event
	whole        bool // the end is recorded once, by close
	open         bool // began is recorded
	behind       bool // there were launches since ended was recorded
}

// begin records the beginning, once, and with it the end of a run without a launch.
func (s *span) begin() error {
	if s.open || s.began == nil {
		return nil
	}
	s.open, s.behind = true, true
	return s.began.Record()
}

// launched says that there was a launch.
func (s *span) launched() { s.behind = s.open }

// mark records the end of all launches so far.
func (s *span) mark() error {
	if s.whole || !s.behind {
		return nil
	}
	s.behind = false
	return s.ended.Record()
}

// close records the end of the remaining launches.
func (s *span) close() error {
	if err := s.begin(); err != nil {
		return err
	}
	s.whole = false
	return s.mark()
}
