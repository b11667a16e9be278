/** The tables of objects within request bodies, in the notation of `DocumentedOperation.body`. */
export const inputObjects: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  VisibilityInput: { all_units: "boolean", units: "integer[]", units_falldown: "integer[]", userTypes: "integer[]" },
  SharingInput: { shares: "integer[]" },
  Switch: { enabled: "boolean" },
  PublishInput: { status: "boolean", publish_on: "integer", unpublish_on: "integer" },
  PollInput: {
    question: "string",
    type: "string",
    close_at: "integer",
    allow_user_choices: "boolean",
    anonymous: "boolean",
    mandatory: "boolean",
    choices: "ChoiceInput[]",
  },
  ChoiceInput: { id: "integer", title: "string!" },
  PinnedInput: { show_in_main_feed: "boolean", until: "integer" },
  PostEventInput: {
    location: "string",
    link: "string",
    all_day: "boolean",
    datetime_start: "string",
    datetime_end: "string",
    participation: "Switch",
    recurrence: "PostRecurrenceInput",
    repeat_rules: "string",
    end_date: "string",
    timezone: "string",
  },
  PostRecurrenceInput: {
    freq: "string!",
    until: "string",
    count: "integer",
    interval: "integer",
    bymonthday: "integer",
    bymonth: "integer",
    bysetpos: "integer",
  },
  RecurrenceInput: {
    freq: "string!",
    until: "string",
    count: "integer",
    interval: "integer",
    byday: "string",
    bymonthday: "string",
    bymonth: "string",
    bysetpos: "string",
  },
  FileInput: { type: "string!", name: "string!", data: "string!" },
};

const page = { page: "integer", limit: "integer" };

/** The documented query parameters, by operation. */
export const queries: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "GET /conversations": { status: "string", keyword: "string", ...page },
  "GET /conversations/{conversation}/messages": {
    limit: "integer",
    starter_message_id: "integer",
    cursor: "string",
    query: "string",
  },
  "GET /api/users/birthdays": { start: "string", end: "string", ...page },
  "GET /api/events": { type: "string", ...page, start: "integer", end: "integer" },
};
