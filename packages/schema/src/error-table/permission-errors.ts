/** Calls that rules or people do not allow. */
export const PERMISSION_ERRORS = {
  card_read_only: {
    class: 'permission',
    title: 'The card cannot be edited here',
    fix: 'Edit the file itself, with the permissions that it requires.',
  },
  person_required: {
    class: 'permission',
    title: 'The tool requires human input',
    fix: 'Call it from a client that can show forms (`elicitation`).',
  },
  approval_denied: {
    class: 'permission',
    title: 'The call was not approved',
    fix: 'Continue without the call, or ask the person.',
  },
  permission_denied: {
    class: 'permission',
    title: 'A rule forbids the call',
    fix: 'Change `permissions.deny`, or continue without the call.',
  },
  headless_no_tools: {
    class: 'permission',
    title: 'Every tool of an agent needs approval, but approvals are not available',
    fix: 'Allow the tools that may run without approval in `permissions.allow`, or set `toolPermission: never`.',
  },
  human_unavailable: {
    class: 'permission',
    title: 'The question was not answered',
    fix: 'Continue without the answer, or say what is missing.',
  },
  filesystem_denied: {
    class: 'permission',
    title: 'File tools may not access the path',
    fix: 'Use a path inside the root folder that does not belong to the team itself.',
  },
  url_refused: {
    class: 'permission',
    title: 'The URL may not be fetched',
    fix: 'Use a public https URL with the content that you need.',
  },
} as const
