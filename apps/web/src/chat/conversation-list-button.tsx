import { PanelLeft } from 'lucide-react'
import type { ReactElement } from 'react'
import { IconButton } from '../ui/button.tsx'

/** Shows and hides the list of conversations. */
export function ConversationListButton({
  isListShown,
  onToggle,
}: {
  readonly isListShown: boolean
  readonly onToggle: () => void
}): ReactElement {
  return (
    <IconButton
      label="Conversations"
      aria-expanded={isListShown}
      className="order-first pointer-coarse:size-11"
      onClick={onToggle}
    >
      <PanelLeft aria-hidden="true" className="size-4" />
    </IconButton>
  )
}
