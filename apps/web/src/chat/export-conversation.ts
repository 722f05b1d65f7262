import type { Run, RunSummary } from '@troupe/client'
import { client } from '../api/client.ts'

/** A conversation with the results of its runs, the oldest first. */
export interface ExportedConversation {
  readonly sessionId: string
  readonly name: string
  readonly runs: readonly Run[]
}

/** Page size of the list of runs. */
const PAGE = 200
/** Maximum number of messages in one file. */
const MAX_RUNS = 2000

/** Reads the last 2,000 messages of a conversation with their answers. */
export async function readConversation(sessionId: string, name: string): Promise<ExportedConversation> {
  const summaries: RunSummary[] = []
  let before: string | undefined
  do {
    const page = await client.sessions.runs(sessionId, {
      limit: PAGE,
      ...(before === undefined ? {} : { before }),
    })
    summaries.push(...page.runs)
    before = page.next
  } while (before !== undefined && summaries.length < MAX_RUNS)
  const runs: Run[] = []
  // one after the other, because browsers have few connections to a server
  for (const { runId } of summaries.slice(0, MAX_RUNS).toReversed()) runs.push(await client.runs.get(runId))
  return { sessionId, name, runs }
}

/** Formats a conversation as Markdown: a heading for each message and each answer. */
export function toMarkdown({ name, runs }: ExportedConversation): string {
  const parts = runs.flatMap(({ agent, input, output, error, startedAt }) => [
    `## You, ${new Date(startedAt).toISOString()}`,
    input.trim(),
    `## ${agent}`,
    (output?.text ?? '').trim() || (error === undefined ? 'No answer.' : `No answer: ${error.message}`),
  ])
  return `${[`# ${oneLine(name)}`, ...parts].join('\n\n')}\n`
}

/** Returns a file name for a conversation, without characters that file systems reject. */
export function fileNameOf(name: string, extension: 'md' | 'json'): string {
  const words = oneLine(name)
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .slice(0, 60)
    .trim()
  return `${words === '' ? 'conversation' : words}.${extension}`
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim()
}

/** Offers a text as a file to save. */
export function saveFile(text: string, name: string, mediaType: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: mediaType }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // the browser reads the file after this turn
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** Reads a conversation and offers it as a file. */
export async function exportConversation(
  { sessionId, name }: Pick<ExportedConversation, 'sessionId' | 'name'>,
  format: 'md' | 'json',
): Promise<void> {
  const conversation = await readConversation(sessionId, name)
  if (format === 'md') saveFile(toMarkdown(conversation), fileNameOf(name, 'md'), 'text/markdown')
  else saveFile(JSON.stringify(conversation, undefined, 2), fileNameOf(name, 'json'), 'application/json')
}
