/** Failures of models and their providers. */
export const MODEL_ERRORS = {
  model_script_exhausted: {
    class: 'model',
    title: 'The model script has no further step',
    fix: 'Add a step or a rule to the script.',
  },
  model_rate_limited: {
    class: 'model',
    title: 'The rate limit of the provider was reached',
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
    title: 'The provider rejected the request',
    fix: 'Correct the request as the message says; a retry does not help.',
  },
  model_not_found: {
    class: 'model',
    title: 'The provider does not know the model',
    fix: 'Correct the model name.',
  },
  model_bad_stream: {
    class: 'model',
    title: 'The response of the provider was cut off or malformed',
    fix: 'Try again. If the error persists, report it to the provider.',
  },
  model_empty_answer: {
    class: 'model',
    title: 'The model returned an empty answer',
    fix: 'Try again or use another model.',
  },
  model_refused: { class: 'model', title: 'The model refused to answer', fix: 'Change the request.' },
  context_overflow: {
    class: 'model',
    title: 'The conversation is too long for the model',
    fix: 'Use a model with a larger context window, or give the agent less input.',
  },
  composition_bad_answer: {
    class: 'model',
    title: 'The model of a composition did not answer in the required format',
    fix: 'Use a model with structured output, or describe the format in its prompt.',
  },
  output_schema_mismatch: {
    class: 'model',
    title: 'The answer does not match the output schema',
    fix: 'Loosen the schema or use a model with structured output.',
  },
} as const
