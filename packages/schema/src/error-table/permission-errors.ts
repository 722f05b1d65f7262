/** Calls that rules or people do not allow. */
export const PERMISSION_ERRORS = {
  card_read_only: {
    class: 'permission',
    title: 'A card that cannot be written here',
    fix: 'Change the file where it lies, by who may.',
  },
  person_required: {
    class: 'permission',
    title: 'The tool works only where a person can be asked',
    fix: 'Call it from a host that can show forms (`elicitation`).',
  },
  approval_denied: {
    class: 'permission',
    title: 'The call was not approved',
    fix: 'Do without it, or ask the person.',
  },
  permission_denied: {
    class: 'permission',
    title: 'A rule forbids the call',
    fix: 'Change `permissions.deny`, or do without it.',
  },
  headless_no_tools: {
    class: 'permission',
    title: 'Every tool of an agent needs an approval, and nobody can be asked',
    fix: 'Allow the tools it may use without a person in `permissions.allow`, or set `toolPermission: never`.',
  },
  human_unavailable: {
    class: 'permission',
    title: 'No person answered the question',
    fix: 'Go on without the answer, or say what is missing.',
  },
  filesystem_denied: {
    class: 'permission',
    title: 'File tools may not touch the path',
    fix: 'Use a path inside the root folder that does not belong to the team itself.',
  },
  url_refused: {
    class: 'permission',
    title: 'The address may not be fetched',
    fix: 'Use a public https address that holds what is wanted.',
  },
} as const
