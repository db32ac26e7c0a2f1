package ptx

// asyncRows are copies that go on beside their thread, and the barriers in memory that count them.
var asyncRows = []formRow{
	{"cp", "async ca|cg shared|shared::cta global ?$lpre", "Ms Mg I"},
	{"cp", "async ca|cg shared|shared::cta global ?$lpre", "Ms Mg I N"},
	{"cp", "async ca|cg shared|shared::cta global L2::cache_hint ?$lpre", "Ms Mg I u64"},
	{"cp", "async ca|cg shared|shared::cta global L2::cache_hint ?$lpre", "Ms Mg I N u64"},
	{"cp", "async commit_group", ""},
	{"cp", "async wait_group", "I"},
	{"cp", "async wait_all", ""},
	{"cp", "async mbarrier arrive ?noinc ?shared|shared::cta b64", "M"},

	{"mbarrier", "init ?shared|shared::cta b64", "M u32"},
	{"mbarrier", "inval ?shared|shared::cta b64", "M"},
	{"mbarrier", "arrive|arrive_drop ?shared|shared::cta b64", "=b64 M"},
	{"mbarrier", "arrive|arrive_drop ?shared|shared::cta b64", "=b64 M u32"},
	{"mbarrier", "arrive|arrive_drop release cta ?shared|shared::cta b64", "=b64 M"},
	{"mbarrier", "arrive|arrive_drop release cta ?shared|shared::cta b64", "=b64 M u32"},
	{"mbarrier", "arrive|arrive_drop noComplete ?shared|shared::cta b64", "=b64 M u32"},
	{"mbarrier", "arrive|arrive_drop noComplete release cta ?shared|shared::cta b64", "=b64 M u32"},
	{"mbarrier", "arrive|arrive_drop expect_tx ?shared|shared::cta b64", "=b64 M u32"},
	{"mbarrier", "arrive|arrive_drop expect_tx release cta ?shared|shared::cta b64", "=b64 M u32"},
	{"mbarrier", "expect_tx|complete_tx ?shared|shared::cta b64", "M u32"},
	{"mbarrier", "expect_tx|complete_tx relaxed cta ?shared|shared::cta b64", "M u32"},
	{"mbarrier", "test_wait|try_wait ?shared|shared::cta b64", "=pred M b64"},
	{"mbarrier", "test_wait|try_wait acquire cta ?shared|shared::cta b64", "=pred M b64"},
	{"mbarrier", "test_wait|try_wait parity ?shared|shared::cta b64", "=pred M u32"},
	{"mbarrier", "test_wait|try_wait parity acquire cta ?shared|shared::cta b64", "=pred M u32"},
	{"mbarrier", "try_wait ?shared|shared::cta b64", "=pred M b64 u32"},
	{"mbarrier", "try_wait parity ?shared|shared::cta b64", "=pred M u32 u32"},
	{"mbarrier", "pending_count b64", "=u32 b64"},

	{"fence", "proxy alias", ""},
	{"fence", "proxy async ?global|shared::cta", ""},
	{"fence", "mbarrier_init release cluster", ""},
	{"membar", "proxy alias", ""},
	{"griddepcontrol", "wait|launch_dependents", ""},
}
