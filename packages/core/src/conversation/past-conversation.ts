import type { EventPayloads, Json, Message, RootScope, RunRequest } from '@troupe/schema'
import { inputMessage } from '@troupe/schema'
import { createJournal } from '../journal/journal.ts'
import { pastMessages } from '../journal/past-messages.ts'
import { carriedMessages } from './carried-messages.ts'

/** What a root has said, out of its steps, as the next one of its conversation starts from it; whether it ended or not. */
export function pastConversation(
  steps: ReadonlyMap<string, Json>,
  { request, redactor }: { readonly request: RunRequest } & Pick<RootScope, 'redactor'>,
): readonly Message[] {
  const journal = createJournal({ steps, events: [] }, redactor === undefined ? {} : { redactor })
  const end = journal.step('end') as EventPayloads['run-end'] | undefined
  const said = request.composed === true ? asAnswer(request, end) : pastMessages(journal, request)
  return carriedMessages(said, end?.error?.code)
}

/** A composition as its answer: what it asked its own model in between is nobody's business. */
function asAnswer(request: RunRequest, end: EventPayloads['run-end'] | undefined): readonly Message[] {
  const text = end?.output.text ?? ''
  return [
    inputMessage(request.input, request.attachments),
    { role: 'assistant', content: [{ type: 'text', text }] },
  ]
}
