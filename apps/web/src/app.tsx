import type { ReactElement } from 'react'
import type { Route } from './route/route.ts'
import { useRoute } from './route/use-route.ts'
import { RunPage } from './runs/run-page.tsx'
import { Shell } from './shell/shell.tsx'
import { EmptyState } from './ui/empty-state.tsx'

/** The page: its shell, and what the address names. */
export function App(): ReactElement {
  const route = useRoute()
  return (
    <Shell route={route} approvals={0}>
      <Page route={route} />
    </Shell>
  )
}

function Page({ route }: { readonly route: Route }): ReactElement {
  switch (route.page) {
    case 'run':
      return <RunPage key={route.runId} runId={route.runId} />
    default:
      return <EmptyState title="Nothing is here">The address names no page.</EmptyState>
  }
}
