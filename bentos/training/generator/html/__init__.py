"""Documents as web pages: markup, random style sheets, a paginator; printed by Chromium."""
