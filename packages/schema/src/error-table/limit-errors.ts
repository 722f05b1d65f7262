/** Exceeded limits on runs, depth and cost. */
export const LIMIT_ERRORS = {
  agent_cycle: {
    class: 'depth',
    title: 'Agents call each other in a circle',
    fix: 'Remove one of the calls on the path shown.',
  },
  export_limit: {
    class: 'limit',
    title: 'A tool that an agent offers is called more than its card allows',
    fix: 'Call it again later, or raise `limits` of the tool in `exports.tools`.',
  },
  prompt_too_large: {
    class: 'limit',
    title: 'The arguments make a prompt that is too long',
    fix: 'Send less, or raise `limits.maxPrompt` of the tool in `exports.tools`.',
  },
  model_quota_exceeded: {
    class: 'budget',
    title: 'The quota or the credit at the provider is used up',
    fix: 'Raise the limit or add credit at the provider, or name a fallback model of another one.',
  },
  model_output_cut: {
    class: 'limit',
    title: 'The answer was cut off by the limit on output tokens',
    fix: 'Raise `maxOutputTokens`.',
  },
  model_output_too_long: {
    class: 'limit',
    title: 'The model did not stop writing',
    fix: 'Set `maxOutputTokens`, or use another model.',
  },
  depth_exceeded: {
    class: 'depth',
    title: 'Agents are nested too deeply',
    fix: 'Raise `limits.maxDepth` or flatten the team.',
  },
  composition_unfinished: {
    class: 'limit',
    title: 'A composition reached its limit before it was done',
    fix: 'Raise `maxRefinements` or `planIterations`, or ask for less.',
  },
  turns_exceeded: { class: 'limit', title: 'The agent used up its turns', fix: 'Raise `limits.maxTurns`.' },
  calls_exceeded: {
    class: 'limit',
    title: 'Too many tool calls in one turn',
    fix: 'Raise `limits.maxToolCallsPerTurn` or call fewer tools at once.',
  },
  runs_exceeded: {
    class: 'limit',
    title: 'The run has started too many agents',
    fix: 'Raise `limits.maxRuns`.',
  },
  budget_exceeded: {
    class: 'budget',
    title: 'The budget is used up',
    fix: 'Raise `limits.maxTokens` or `limits.maxCost`.',
  },
  hook_rate_limited: {
    class: 'limit',
    title: 'A hook refused the call: there were too many in a short time',
    fix: 'Wait, or raise `calls` of the hook.',
  },
  url_too_large: {
    class: 'limit',
    title: 'What the address holds is too large',
    fix: 'Make it smaller, or save it as a file.',
  },
  session_busy: {
    class: 'limit',
    title: 'The conversation has a run that has not ended',
    fix: 'Wait for its end, or decide on the call that it waits for; see `troupe runs list`.',
  },
} as const
