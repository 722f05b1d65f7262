import { Search } from 'lucide-react'
import type { ReactElement } from 'react'
import type { RunListFilter } from '../route/route.ts'
import { Select } from '../ui/select.tsx'
import { TextInput } from '../ui/text-input.tsx'

/** Edits the search text, agent and state of the list of runs. */
export function RunFilterBar({
  filter,
  onChange,
  agents,
}: {
  readonly filter: RunListFilter
  readonly onChange: (filter: RunListFilter) => void
  readonly agents: readonly string[]
}): ReactElement {
  return (
    <div role="search" className="flex min-w-0 flex-wrap gap-2 max-sm:w-full">
      <div className="relative min-w-40 grow">
        <Search
          aria-hidden="true"
          className="pointer-events-none absolute top-1/2 left-2.5 size-3.5 -translate-y-1/2 text-muted"
        />
        <TextInput
          type="search"
          aria-label="Find runs"
          placeholder="Find by words or id"
          className="pl-8"
          value={filter.text}
          onChange={(event) => onChange({ ...filter, text: event.target.value })}
        />
      </div>
      <Select
        aria-label="Agent"
        value={filter.agent}
        onChange={(event) => onChange({ ...filter, agent: event.target.value })}
      >
        <option value="">All agents</option>
        {agents.map((agent) => (
          <option key={agent}>{agent}</option>
        ))}
      </Select>
      <Select
        aria-label="State"
        value={filter.state}
        onChange={(event) => onChange({ ...filter, state: event.target.value as RunListFilter['state'] })}
      >
        <option value="">All states</option>
        <option value="open">Open</option>
        <option value="answered">Answered</option>
        <option value="failed">Not answered</option>
      </Select>
    </div>
  )
}
