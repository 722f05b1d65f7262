import type { RunReport } from '@troupe/schema'

/** Returns the answer of a run as Markdown, with JSON in a code block. */
export function answerText({ output }: Pick<RunReport, 'output'>): string {
  if (output.format !== 'json') return output.text ?? ''
  const json = output.value === undefined ? (output.text ?? '') : JSON.stringify(output.value, null, 2)
  return json === '' ? '' : `\`\`\`json\n${json}\n\`\`\``
}
