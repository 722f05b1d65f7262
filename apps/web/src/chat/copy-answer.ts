import { client } from '../api/client.ts'
import { copyText } from '../ui/copy-text.ts'

/** Copies the answer of a run to the clipboard. */
export async function copyAnswer(runId: string): Promise<void> {
  const { output } = await client.runs.get(runId)
  await copyText(output?.text ?? '')
}
