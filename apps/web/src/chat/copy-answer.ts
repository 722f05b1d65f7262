import { client } from '../api/client.ts'

/** Copies the answer of a run to the clipboard. */
export async function copyAnswer(runId: string): Promise<void> {
  const { output } = await client.runs.get(runId)
  await writeClipboard(output?.text ?? '')
}

/** Copies a text. Without TLS, browsers have no clipboard API for a page of another computer, only the old command. */
async function writeClipboard(text: string): Promise<void> {
  // the type says that it is always there
  const { clipboard } = navigator as Partial<Navigator>
  if (clipboard !== undefined) return clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}
