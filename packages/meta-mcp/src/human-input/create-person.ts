import type { RunOptions } from '@troupe/schema'
import { approvalForm, readApproval } from './approval-form.ts'
import type { OpenForms } from './open-forms.ts'
import { questionForm, readAnswer } from './question-form.ts'

const QUESTION = 'answer'

/**
 * Creates `approve` and `ask` for a run from the open forms. The key of an approval contains its unguessable
 * id, so that a client cannot approve in advance.
 */
export function createPerson(questions: OpenForms): Required<Pick<RunOptions, 'approve' | 'ask'>> {
  return {
    approve: (request, signal) =>
      questions.ask(
        { key: `approval ${request.approvalId}`, form: approvalForm(request), read: readApproval },
        signal,
      ),
    ask: (question, signal) =>
      questions.ask(
        {
          key: question.name ?? QUESTION,
          form: questionForm(question),
          read: (answer) => readAnswer(question, answer),
        },
        signal,
      ),
  }
}
