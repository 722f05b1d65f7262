/** Errors in cards, agents and the things they reference. */
export const CARD_ERRORS = {
  card_unknown_key: {
    class: 'config',
    title: 'Unknown key in a card',
    fix: 'Correct the key or remove it; `troupe run <card> --help` prints every key.',
  },
  card_alias_conflict: {
    class: 'config',
    title: 'A key and its alias have different values',
    fix: 'Keep one of the two.',
  },
  card_bad_value: {
    class: 'config',
    title: 'A value in a card is not of the expected kind',
    fix: 'Write a value of the kind named in the message.',
  },
  card_bad_yaml: {
    class: 'config',
    title: 'The front matter is not valid YAML',
    fix: 'Correct the YAML at the given line.',
  },
  card_syntax: {
    class: 'config',
    title: 'The file is not a card',
    fix: 'Start the file with a `---` line, YAML, and a second `---` line; no other language is allowed.',
  },
  card_edit_refused: {
    class: 'config',
    title: 'An edit of a card would change more than it should, or has no place in it',
    fix: 'Change the file by hand.',
  },
  card_too_large: {
    class: 'config',
    title: 'The file is too large for a card',
    fix: 'Keep a card below 1 MiB; move data to files that the agent reads.',
  },
  card_unreadable: {
    class: 'config',
    title: 'The card could not be read',
    fix: 'Check the path and its permissions.',
  },
  card_no_instruction: {
    class: 'config',
    title: 'The card has no prompt',
    fix: 'Write the prompt as the body of the card or as `instruction`.',
  },
  card_no_description: {
    class: 'config',
    title: 'The card has no description',
    fix: 'Say in `description` what the agent does and when to call it.',
  },
  card_two_instructions: {
    class: 'config',
    title: 'The card has both a body and `instruction`',
    fix: 'Keep one of the two.',
  },
  card_unknown_dialect: {
    class: 'config',
    title: 'The dialect of the card is not known',
    fix: 'Remove `dialect` or name a known one.',
  },
  card_format_assumed: {
    class: 'config',
    title: 'The format of a card had to be assumed',
    fix: 'Name the format in `dialect`.',
  },
  card_key_ignored: {
    class: 'config',
    title: 'The format of a card does not have a key of Troupe cards',
    fix: 'Write `dialect: troupe`, or remove the key.',
  },
  card_unsupported: {
    class: 'config',
    title: 'The card asks for a kind of agent that is not there',
    fix: 'See docs/dialects.md for what each dialect may ask for.',
  },
  card_include: {
    class: 'config',
    title: 'A file that the prompt includes could not be put in',
    fix: 'Correct the path; files are included from the folder of the card and below it.',
  },
  card_duplicate_name: {
    class: 'config',
    title: 'Two agents have one name',
    fix: 'Give each agent of the team its own `name`.',
  },
  card_changed: {
    class: 'config',
    title: 'A card was changed by somebody else in the meantime',
    fix: 'Read it again, and make the change to what is there now.',
  },
  remote_card_forbidden: {
    class: 'config',
    title: 'A remote card asks for something only local cards may have',
    fix: 'Save the card locally, read it, and run it from there.',
  },
  agent_unknown: {
    class: 'config',
    title: 'No agent of that name',
    fix: 'Correct the name, or add the card with `--card` or `--agent-cards`.',
  },
  agent_ambiguous: {
    class: 'config',
    title: 'The entry agent of the folder is not clear',
    fix: 'Name one with `--agent`, or set `default: true` in one card.',
  },
  composition_incomplete: {
    class: 'config',
    title: 'A composition lacks the agents it is made of',
    fix: 'Add the key named in the message; docs/compositions.md lists those of each type.',
  },
  input_invalid: {
    class: 'config',
    title: 'The input does not fit the agent',
    fix: 'Send what the `input` block of the card asks for.',
  },
  exports_no_tools: {
    class: 'config',
    title: 'The agent offers no tools of its own',
    fix: 'Describe them in `exports.tools` of its card: name, description, parameters, prompt.',
  },
  export_need_unmet: {
    class: 'config',
    title: 'A tool that an agent offers needs another one that it cannot have',
    fix: 'Name other tools of `exports.tools` in `needs`, without a circle; what they require, the tool must require too.',
  },
  template_unknown_placeholder: {
    class: 'config',
    title: 'A placeholder names nothing',
    fix: 'Name a parameter of the tool, or write {{ and }} for literal braces.',
  },
  missing_schema: {
    class: 'config',
    title: 'JSON output needs a schema',
    fix: 'Send a schema or declare `output.schema` in the card.',
  },
  invalid_schema: {
    class: 'config',
    title: 'The schema is not valid JSON Schema',
    fix: 'Correct the schema.',
  },
  skill_invalid: {
    class: 'config',
    title: 'A skill cannot be read',
    fix: 'Give the folder a SKILL.md with `name` and `description` in its front matter.',
  },
} as const
