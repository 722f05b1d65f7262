export { editCard, type CardChange, type CardEdit } from './edit-card.ts'
export { editExportedTool } from './edit-exported-tool.ts'
