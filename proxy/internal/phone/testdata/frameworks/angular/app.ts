import { Component, inject, provideZonelessChangeDetection, afterNextRender, signal } from '@angular/core'
import { provideClientHydration, withEventReplay } from '@angular/platform-browser'
import { provideServerRendering } from '@angular/platform-server'
import { ActivatedRoute, provideRouter, RouterLink, RouterOutlet } from '@angular/router'
import { toSignal } from '@angular/core/rxjs-interop'
import { map } from 'rxjs'
import { cookies, footer, menu, pageOf, related } from './site.mjs'

@Component({ selector: 'article-page', imports: [RouterLink], template: `
  <article><h1>{{ page().title }}</h1>@for (text of page().text; track text) {<p>{{ text }}</p>}<p>{{ taken() }}</p>
    <form action="/cart" method="post"><button class="act">Add to basket</button></form>
    <p class="pagination"><a class="act" rel="next" [routerLink]="'/' + page().next">Next page</a></p></article>` })
class ArticlePage {
  page = toSignal(inject(ActivatedRoute).paramMap.pipe(map((params) => pageOf(params.get('slug')))), { requireSync: true })
  taken = signal('')
  constructor() { afterNextRender(() => this.taken.set('taken over')) }
}

@Component({ selector: 'app-root', imports: [RouterLink, RouterOutlet], template: `
  <header class="site-header"><a routerLink="/page1">Kettle Almanac</a>
    <nav class="menu" [class.open]="open()"><button (click)="open.set(!open())">Menu</button>
      <ul>@for (entry of menu; track entry) {<li><a [routerLink]="'/page' + ($index + 1)">{{ entry }}</a></li>}</ul></nav></header>
  <div class="columns"><main><router-outlet /></main>
    <aside class="sidebar"><h2>Most read this week</h2><ul>@for (title of related; track title) {<li><a [routerLink]="'/page' + ($index + 2)">{{ title }}</a></li>}</ul></aside></div>
  <footer class="site-footer">{{ footer }}</footer>
  @if (asked()) {<div class="cookie-banner" role="dialog" aria-label="Cookies"><p>{{ cookies }}</p><button (click)="asked.set(false)">Accept all</button></div>}` })
export class App {
  menu = menu; related = related; footer = footer; cookies = cookies
  open = signal(false); asked = signal(true)
}

const common = [provideZonelessChangeDetection(), provideRouter([{ path: ':slug', component: ArticlePage }]), provideClientHydration(withEventReplay())]
export const inBrowser = { providers: common }
export const onServer = { providers: [...common, provideServerRendering()] }
