"""The page of `yoke report --html` in a browser without a window: it draws, zooms and moves, loads nothing and has no error."""
import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import test_trace

BROWSER = next((b for b in map(shutil.which, ("chromium-headless-shell", "chromium")) if b), None)

# Runs behind the page's own script. What it has found is the title.
PROBE = """<script>
const found={errors:errors,loaded:performance.getEntriesByType('resource').length,end:data.end};
function bars(row){const p=pen.getImageData(LEFT,TOP+row*ROW+ROW/2,chart.width-LEFT,1).data;let n=0;
 for(let i=0;i<p.length;i+=4)n+=p[i]+p[i+1]+p[i+2]<750;return n/(p.length/4)}
found.drawn=data.rows.map((_,i)=>bars(i));
function wheel(x,d){const b=chart.getBoundingClientRect();
 chart.dispatchEvent(new WheelEvent('wheel',{deltaY:d,clientX:b.left+x,clientY:b.top+50,cancelable:true}))}
for(let i=0;i<8;i++)wheel(LEFT+50,-1);
found.zoomed=[from,to];found.wider=bars(1);
document.getElementById('out').click();found.out=to-from;
document.getElementById('all').click();found.all=[from,to];
const b=chart.getBoundingClientRect();
chart.dispatchEvent(new MouseEvent('mousemove',{clientX:b.left+LEFT+120,clientY:b.top+TOP+ROW*1.5}));
found.info=document.getElementById('info').textContent;
found.legend=document.getElementById('legend').textContent;
found.kernels=[...document.querySelectorAll('#kernels tr')].map(r=>[...r.children].map(c=>c.textContent));
found.uses=[...document.querySelectorAll('#uses tr')].map(r=>[...r.children].map(c=>c.textContent));
document.title=btoa(unescape(encodeURIComponent(JSON.stringify(found))));
</script></body>"""


@unittest.skipUnless(BROWSER, "no Chromium here (chromium-headless-shell)")
class Page(unittest.TestCase):
    def look(self, lines):
        with tempfile.TemporaryDirectory() as folder:
            trace, page = (os.path.join(folder, n) for n in ("t.json", "t.html"))
            with open(trace, "w", encoding="utf-8") as f:
                f.write("[\n" + ",\n".join(lines) + "\n]\n")
            subprocess.run([test_trace.YOKE, "report", "--html", page, trace], check=True)
            with open(page, encoding="utf-8") as f:
                text = f.read()
            watch = "<script>const errors=[];onerror=(...a)=>{errors.push(String(a[0]))}</script></head>"
            with open(page, "w", encoding="utf-8") as f:
                f.write(text.replace("</head>", watch, 1).replace("</body>", PROBE, 1))
            done = subprocess.run([BROWSER, "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1200,900",
                                   "--user-data-dir=" + os.path.join(folder, "user"), "--dump-dom", "file://" + page],
                                  capture_output=True, text=True, timeout=100, check=True)
            title = re.search(r"<title>([\w+/=]+)</title>", done.stdout)
            self.assertTrue(title, done.stdout[:2000] + done.stderr)
            return json.loads(base64.b64decode(title[1]))

    def test_draws_and_zooms(self):
        f = self.look(test_trace.lines())
        self.assertEqual((f["errors"], f["loaded"]), ([], 0))
        self.assertAlmostEqual(f["end"], 6.11, places=2)
        # 4.1 and 5 of 6.11 ms; decisions of 10 us are there, though less than a pixel wide.
        self.assertAlmostEqual(f["drawn"][1], 4.1 / 6.11, delta=0.04)
        self.assertAlmostEqual(f["drawn"][2], 5 / 6.11, delta=0.04)
        self.assertLess(f["zoomed"][1] - f["zoomed"][0], 0.2 * f["end"])
        self.assertGreater(f["wider"], 0.9)
        self.assertAlmostEqual(f["out"], 2 * (f["zoomed"][1] - f["zoomed"][0]), delta=0.4)
        self.assertEqual(f["all"], [0, f["end"]])
        self.assertIn("k: 4.000 ms, launch 1, 60 work-groups", f["info"])
        self.assertIn("w</script>", f["legend"])
        self.assertEqual([r[0] for r in f["kernels"]], ["kernel", "k", "w</script>"])
        self.assertEqual(f["kernels"][1][1:5], ["split", "1", "1", "60.0 % | 40.0 %"])
        self.assertEqual(f["kernels"][2][-1], "1: too small")
        self.assertEqual([r[0] for r in f["uses"]], ["", 'device 0: a <b> & "c"', "device 1: d"])
        self.assertEqual(f["uses"][2][1], "5.000")

    def test_empty(self):
        f = self.look(['{"name": "thread_name", "ph": "M", "pid": 1, "tid": 10, "args": {"name": "device 0: d"}}'])
        self.assertEqual((f["errors"], f["loaded"]), ([], 0))
        self.assertEqual(len(f["kernels"]), 1)


if __name__ == "__main__":
    unittest.main()
