import type { RunOptions } from '@troupe/schema'
import { approvalForm, readApproval } from './approval-form.ts'
import type { OpenQuestions } from './open-questions.ts'
import { questionForm, readAnswer } from './question-form.ts'

const QUESTION = 'answer'

/** The person at the other end of a call, as a run asks for one. What an approval is asked under cannot be guessed, so that nobody approves beforehand. */
export function personOf(questions: OpenQuestions): Required<Pick<RunOptions, 'approve' | 'ask'>> {
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
