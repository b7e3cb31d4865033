document.getElementById('menu').addEventListener('click', () => 0);
document.querySelector('.year').textContent = '2025 NOISE';
document.forms.search.elements.q.value = 'x';
for (const item of document.querySelectorAll('.item')) item.classList.add('on');
document.querySelector('.item a').title = 'first';
document.querySelector('footer').append(' NOISE');
document.getElementById('done').textContent = 'CONTENT by script';
