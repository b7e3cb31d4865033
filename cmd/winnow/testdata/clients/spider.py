"""Reads pages through the proxy of the environment:  scrapy runspider -a urls=PAGE,PAGE spider.py"""

import scrapy


class Spider(scrapy.Spider):
    name = "pages"
    custom_settings = {"TELNETCONSOLE_ENABLED": False, "ROBOTSTXT_OBEY": False, "RETRY_ENABLED": False}

    def __init__(self, urls="", *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.start_urls = urls.split(",")
        self.texts = {}

    def parse(self, response):
        self.texts[response.url] = response.text

    def closed(self, reason):
        print("=====".join(self.texts.get(url, "") for url in self.start_urls))
