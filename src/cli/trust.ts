import type { Command } from './command.ts'

export const command: Command = { name: 'trust', summary: '', usage: '', run: () => Promise.resolve(1) }
