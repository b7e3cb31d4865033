import adapter from '@sveltejs/adapter-static'

export default { kit: { adapter: adapter({ pages: '../out/kit', assets: '../out/kit' }), paths: { relative: false } } }
