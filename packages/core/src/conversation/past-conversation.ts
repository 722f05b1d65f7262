import type { EventPayloads, Json, Message, RunTreeContext, RunRequest } from '@troupe/schema'
import { inputMessage } from '@troupe/schema'
import { createJournal } from '../journal/journal.ts'
import { pastMessages } from '../journal/past-messages.ts'
import { carriedMessages } from './carried-messages.ts'

/** Restores the conversation of a root run from its stored steps, for the next run of its session. */
export function pastConversation(
  steps: ReadonlyMap<string, Json>,
  { request, redactor }: { readonly request: RunRequest } & Pick<RunTreeContext, 'redactor'>,
): readonly Message[] {
  const journal = createJournal({ steps, events: [] }, redactor === undefined ? {} : { redactor })
  const end = journal.step('end') as EventPayloads['run-end'] | undefined
  const said = request.composed === true ? compositionMessages(request, end) : pastMessages(journal, request)
  return carriedMessages(said, end?.error?.code)
}

/** Returns the input and the answer of a composition, without its internal model calls. */
function compositionMessages(
  request: RunRequest,
  end: EventPayloads['run-end'] | undefined,
): readonly Message[] {
  const text = end?.output.text ?? ''
  return [
    inputMessage(request.input, request.attachments),
    { role: 'assistant', content: [{ type: 'text', text }] },
  ]
}
