import '@angular/compiler'
import { bootstrapApplication } from '@angular/platform-browser'
import { renderApplication } from '@angular/platform-server'
import { App, onServer } from './app'

const frame = '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Kettle Almanac</title><base href="/"><meta name="viewport" content="width=device-width">' +
  '<link rel="stylesheet" href="/site.css"></head><body><app-root></app-root><script type="module" src="/browser.js"></script></body></html>'

export const render = (slug: string) => renderApplication((context) => bootstrapApplication(App, onServer, context), { document: frame, url: '/' + slug })
