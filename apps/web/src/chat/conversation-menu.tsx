import { Menu } from '@base-ui/react/menu'
import { Archive, ArchiveRestore, Download, FileJson, Pencil, Trash2 } from 'lucide-react'
import type { ComponentProps, ReactElement } from 'react'
import { classNames } from '../ui/class-names.ts'

/** Actions in the menu of a conversation. */
export interface MenuActions {
  readonly onRenameStart: () => void
  readonly onArchive: () => void
  readonly onDelete: () => void
  readonly onExport: (format: 'md' | 'json') => void
}

/** The menu of a conversation in the list, which is open at first. */
export function ConversationMenu({
  trigger,
  isArchived,
  onRenameStart,
  onArchive,
  onDelete,
  onExport,
}: MenuActions & {
  /** The button that opens the menu. */
  readonly trigger: ReactElement
  readonly isArchived: boolean
}): ReactElement {
  return (
    <Menu.Root defaultOpen>
      <Menu.Trigger render={trigger} />
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end" className="z-20">
          <Menu.Popup className="min-w-48 rounded-lg border border-line bg-panel p-1 shadow-lg outline-none">
            <Item onClick={onRenameStart} keys="F2">
              <Pencil aria-hidden="true" className="size-4" /> Rename
            </Item>
            <Item onClick={onArchive}>
              {isArchived ? (
                <>
                  <ArchiveRestore aria-hidden="true" className="size-4" /> Restore
                </>
              ) : (
                <>
                  <Archive aria-hidden="true" className="size-4" /> Archive
                </>
              )}
            </Item>
            <Item onClick={() => onExport('md')}>
              <Download aria-hidden="true" className="size-4" /> Save as Markdown
            </Item>
            <Item onClick={() => onExport('json')}>
              <FileJson aria-hidden="true" className="size-4" /> Save as JSON
            </Item>
            <Menu.Separator className="my-1 h-px bg-line" />
            <Item onClick={onDelete} isDanger keys="Del">
              <Trash2 aria-hidden="true" className="size-4" /> Delete …
            </Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

function Item({
  isDanger = false,
  keys,
  children,
  ...rest
}: ComponentProps<typeof Menu.Item> & {
  readonly isDanger?: boolean
  readonly keys?: string
}): ReactElement {
  return (
    <Menu.Item
      {...rest}
      className={classNames(
        'flex h-8 cursor-default items-center gap-2.5 rounded-md px-2 text-small outline-none data-highlighted:bg-raised pointer-coarse:h-11',
        isDanger && 'text-bad',
      )}
    >
      {children}
      {keys === undefined ? null : <kbd className="ml-auto font-sans text-tiny text-muted">{keys}</kbd>}
    </Menu.Item>
  )
}
