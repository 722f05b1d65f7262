import type { ReactElement } from 'react'
import type { PageRoute } from '../route/route.ts'
import { EvalRunPage } from './eval-run-page.tsx'
import { EvalsPage } from './evals-page.tsx'
import { ReportPage } from './report-page.tsx'

/** Shows the history of evaluations, a report, or a run of a report. */
export function EvalsRoute({
  route,
}: {
  readonly route: Extract<PageRoute, { readonly page: 'evals' | 'eval' | 'eval-run' }>
}): ReactElement {
  if (route.page === 'evals') return <EvalsPage />
  if (route.page === 'eval') return <ReportPage key={route.id} id={route.id} base={route.base} />
  return <EvalRunPage key={route.runId} id={route.id} runId={route.runId} />
}
