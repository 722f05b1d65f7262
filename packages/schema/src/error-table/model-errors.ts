/** Failures of models and their providers. */
export const MODEL_ERRORS = {
  model_script_exhausted: {
    class: 'model',
    title: 'The model script has no further step',
    fix: 'Add a step or a rule to the script.',
  },
  model_rate_limited: {
    class: 'model',
    title: 'The provider limits the rate of requests',
    fix: 'Wait, lower the parallelism, or name a fallback model.',
  },
  model_overloaded: {
    class: 'model',
    title: 'The provider is overloaded or failing',
    fix: 'Try again later or name a fallback model.',
  },
  model_unavailable: {
    class: 'model',
    title: 'Calls to the model are paused because too many of them failed',
    fix: 'Wait for the time named in the message, or name a fallback model of another provider.',
  },
  model_bad_request: {
    class: 'model',
    title: 'The provider refused the request',
    fix: 'Read the message: the request itself is at fault.',
  },
  model_not_found: {
    class: 'model',
    title: 'The provider does not know the model',
    fix: 'Correct the model name.',
  },
  model_bad_stream: {
    class: 'model',
    title: 'The provider broke off or garbled its answer',
    fix: 'Try again; if it stays, report it to the provider.',
  },
  model_empty_answer: {
    class: 'model',
    title: 'The model gave an empty answer',
    fix: 'Try again or use another model.',
  },
  model_refused: { class: 'model', title: 'The model refused to answer', fix: 'Change the request.' },
  context_overflow: {
    class: 'model',
    title: 'The conversation is too long for the model',
    fix: 'Use a model with a larger context, or give the agent less.',
  },
  composition_bad_answer: {
    class: 'model',
    title: 'The model of a composition did not answer in the form asked for',
    fix: 'Use a model with structured output, or say in its prompt what to answer.',
  },
  output_schema_mismatch: {
    class: 'model',
    title: 'The answer does not match the output schema',
    fix: 'Loosen the schema or use a model with structured output.',
  },
} as const
