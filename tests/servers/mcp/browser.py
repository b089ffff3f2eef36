"""What a browser does that is signed in everywhere: opens the address, and follows where it leads. `browser.py URL`"""

import sys
import urllib.request

urllib.request.urlopen(sys.argv[1], timeout=30).read()
