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
    title: 'A value in a card is not valid',
    fix: 'Correct the value as the message says.',
  },
  card_bad_yaml: {
    class: 'config',
    title: 'The front matter is not valid YAML',
    fix: 'Correct the YAML at the line in the message.',
  },
  card_syntax: {
    class: 'config',
    title: 'The file is not a card',
    fix: 'Start the file with a `---` line, YAML, and a second `---` line; no other language is allowed.',
  },
  card_edit_refused: {
    class: 'config',
    title: 'The edit would change other parts of the card, or does not fit into it',
    fix: 'Edit the file by hand.',
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
    title: 'The card format named in `dialect` is unknown',
    fix: 'Remove `dialect`, or set it to a known format.',
  },
  card_format_assumed: {
    class: 'config',
    title: 'The format of a card is not clear and was assumed',
    fix: 'Set `dialect` to the format of the card.',
  },
  card_key_ignored: {
    class: 'config',
    title: 'A key of Troupe cards is ignored because the card is in another format',
    fix: 'Set `dialect: troupe`, or remove the key.',
  },
  card_unsupported: {
    class: 'config',
    title: 'The card describes a kind of agent that is not supported',
    fix: 'The page "Agent files of other products" of the documentation says what each format supports.',
  },
  card_include: {
    class: 'config',
    title: 'A file that the prompt includes could not be read',
    fix: 'Correct the path. A prompt can include files from the folder of the card and below.',
  },
  card_duplicate_name: {
    class: 'config',
    title: 'Two agents have the same name',
    fix: 'Give each agent of the team a different `name`.',
  },
  card_changed: {
    class: 'config',
    title: 'The card has changed since it was read',
    fix: 'Read the card again, then repeat the edit.',
  },
  remote_card_forbidden: {
    class: 'config',
    title: 'A remote card uses something that only local cards may use',
    fix: 'Save the card locally, review it, and run it from there.',
  },
  agent_unknown: {
    class: 'config',
    title: 'There is no agent with this name',
    fix: 'Correct the name, or add the card with `--card` or `--agent-cards`.',
  },
  agent_ambiguous: {
    class: 'config',
    title: 'The folder has no clear entry agent',
    fix: 'Set `default: true` in one card, or specify the agent to run with `troupe run --agent`.',
  },
  composition_incomplete: {
    class: 'config',
    title: 'A composition is missing agents',
    fix: 'Add the missing key. The page "Compositions" of the documentation lists the keys of each type.',
  },
  input_invalid: {
    class: 'config',
    title: 'The input is not valid for the agent',
    fix: 'Send input that matches the `input` block of the card.',
  },
  exports_no_tools: {
    class: 'config',
    title: 'The agent does not export any tools',
    fix: 'Define them in `exports.tools` of the card: name, description, parameters, prompt.',
  },
  export_need_unmet: {
    class: 'config',
    title: 'An exported tool needs another tool that it cannot use',
    fix: 'List only other tools of `exports.tools` in `needs`, without cycles. The tool must require every parameter that they require.',
  },
  template_unknown_placeholder: {
    class: 'config',
    title: 'A placeholder is not the name of a parameter',
    fix: 'Use the name of a parameter, or write {{ and }} for literal braces.',
  },
  missing_schema: {
    class: 'config',
    title: 'JSON output needs a schema',
    fix: 'Send a schema or declare `output.schema` in the card.',
  },
  invalid_schema: {
    class: 'config',
    title: 'The schema is not valid JSON Schema',
    fix: 'Write a valid JSON Schema.',
  },
  skill_invalid: {
    class: 'config',
    title: 'A skill could not be read',
    fix: 'Add a SKILL.md with `name` and `description` in its front matter.',
  },
} as const
