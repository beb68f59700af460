/* The page of `yoke report --html`: the timeline with zoom, and tables of kernels, devices and links, in one file. */
#include "cli/report.h"

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>yoke report</title><style>\n"
    "body{font:14px sans-serif;margin:16px}canvas{width:100%;border:1px solid #ccc}h2{font-size:17px;margin:22px 0 "
    "6px}\n"
    "td,th{padding:3px 10px;text-align:left;border-bottom:1px solid #ddd;vertical-align:top}.n{text-align:right}\n"
    "#info{height:1.4em;color:#444}#legend span{margin-right:14px}#legend "
    "i{display:inline-block;width:12px;height:12px;"
    "margin-right:4px}table{border-collapse:collapse}button{margin-right:6px}\n"
    "</style></head><body>\n<h1>yoke report</h1>\n";

static const char timeline[] =
    "<canvas id=\"chart\"></canvas><div id=\"info\"></div>\n"
    "<p><button id=\"in\">zoom in</button><button id=\"out\">zoom out</button><button id=\"all\">all</button> "
    "Wheel: zoom. Drag: move. Double click: all.</p>\n<p id=\"legend\"></p>\n";

static const char script[] =
    "const chart=document.getElementById('chart'),pen=chart.getContext('2d'),LEFT=220,ROW=26,TOP=30;\n"
    "let from=0,to=data.end||1,grip=null;\n"
    "function clip(text,width){while(text.length>1&&pen.measureText(text).width>width)text=text.slice(0,-2)+'\\u2026';"
    "return text}\n"
    "function draw(){\n"
    " chart.width=chart.clientWidth;chart.height=TOP+ROW*data.rows.length+6;\n"
    " const scale=(chart.width-LEFT-10)/(to-from);pen.font='12px sans-serif';pen.fillStyle='#fff';\n"
    " pen.fillRect(0,0,chart.width,chart.height);\n"
    " for(const s of data.spans){const x=LEFT+(s.t-from)*scale,w=s.d*scale,l=Math.max(x,LEFT);\n"
    "  if(x+w<LEFT||x>chart.width)continue;\n"
    "  pen.fillStyle=s.c;pen.fillRect(l,TOP+s.r*ROW+3,Math.max(x+w-l,.7),ROW-6)}\n"
    " pen.fillStyle='#000';data.rows.forEach((name,i)=>pen.fillText(clip(name,LEFT-10),4,TOP+i*ROW+17));\n"
    " for(let i=0;i<=8;i++)pen.fillText((from+(to-from)*i/8).toPrecision(4)+' ms',LEFT+(chart.width-LEFT-60)*i/8,16)}\n"
    "function time(x){return from+(to-from)*(x-LEFT)/(chart.width-LEFT-10)}\n"
    "function zoom(t,f){from=Math.max(0,t-(t-from)*f);to=Math.min(data.end||1,t+(to-t)*f);draw()}\n"
    "function all(){from=0;to=data.end||1;draw()}\n"
    "function move(d){if(from+d>=0&&to+d<=data.end){from+=d;to+=d}draw()}\n"
    "function span(x,y){const t=time(x),r=Math.floor((y-TOP)/ROW),near=(to-from)/chart.width*2;\n"
    " return data.spans.filter(s=>s.r==r&&t>=s.t-near&&t<=s.t+s.d+near).pop()}\n"
    "chart.onwheel=e=>{e.preventDefault();zoom(time(e.offsetX),e.deltaY>0?1.25:.8)};\n"
    "chart.onmousedown=e=>grip=e.offsetX;onmouseup=()=>grip=null;chart.ondblclick=all;\n"
    "chart.onmousemove=e=>{if(grip!==null){move((grip-e.offsetX)*(to-from)/"
    "(chart.width-LEFT-10));grip=e.offsetX;return}\n"
    " const s=span(e.offsetX,e.offsetY);document.getElementById('info').textContent=s?s.i:''};\n"
    "document.getElementById('in').onclick=()=>zoom((from+to)/2,.5);\n"
    "document.getElementById('out').onclick=()=>zoom((from+to)/2,2);\n"
    "document.getElementById('all').onclick=all;\n"
    "for(const [name,colour] of new Map(data.spans.map(s=>[s.n,s.c]))){\n"
    " const item=document.createElement('span'),patch=document.createElement('i');patch.style.background=colour;\n"
    " item.append(patch,name);document.getElementById('legend').append(item)}\n"
    "onresize=draw;draw();\n";

/* A string literal of a script inside a page: nothing in it can end either. */
static void literal(const char *s, FILE *to)
{
    fputc('"', to);
    for (; *s; s++) {
        unsigned char ch = (unsigned char)*s;
        if (ch < 32 || ch == '"' || ch == '\\' || ch == '<' || ch == '>' || ch == '&' || ch > 126)
            fprintf(to, "\\x%02x", ch);
        else
            fputc(ch, to);
    }
    fputc('"', to);
}

/* What the legend calls a bar: kernels by name, the rest by kind. */
static const char *legend(const struct yk_report_span *s)
{
    return s->kind == 'c' ? "transfer" : s->kind == 'm' ? "merge" : s->kind == 'd' ? "decision" : s->name;
}

static void put_data(const struct yk_report *r, FILE *to)
{
    fprintf(to, "const data={end:%.6f,rows:[", r->end_ms);
    for (size_t t = 0; t < sizeof r->track / sizeof *r->track; t++)
        if (r->track[t][0]) {
            literal(r->track[t], to);
            fputc(',', to);
        }
    fputs("],spans:[", to);
    for (size_t i = 0; i < r->spans; i++) {
        const struct yk_report_span *s = &r->span[i];
        char info[512];
        int row = yk_report_row(r, s->track);
        if (row < 0)
            continue;
        snprintf(info, sizeof info, "%.200s: %.3f ms, launch %lld, %.0f work-groups, predicted %.3f ms, %.0f bytes",
                 s->name, s->ms, s->launch, s->groups, s->predicted, s->bytes);
        fprintf(to, "{r:%d,t:%.6f,d:%.6f,c:'%s',n:", row, s->start, s->ms, yk_report_colour(s));
        literal(legend(s), to);
        fputs(",i:", to);
        literal(info, to);
        fputs("},\n", to);
    }
    fputs("]};\n", to);
}

static void put_kernel(const struct yk_report *r, const struct yk_report_kernel *k, FILE *to)
{
    double all = 0;
    fputs("<tr><td>", to);
    yk_report_escape(k->name, to);
    fprintf(to, "</td><td>%s</td><td class=\"n\">%u</td><td class=\"n\">%u</td><td>",
            k->verdict[0] ? k->verdict : "not analysed", k->launches, k->split);
    for (unsigned d = 0; d < r->devices; d++)
        all += k->groups[d];
    for (unsigned d = 0; d < r->devices && all > 0; d++)
        fprintf(to, "%s%.1f %%", d ? " | " : "", 100 * k->groups[d] / all);
    fputs("</td><td class=\"n\">", to);
    if (k->predicted_ms > 0)
        fprintf(to, "%.3f / %.3f", k->predicted_ms, k->predicted_real_ms);
    fprintf(to, "</td><td class=\"n\">%.3f</td><td class=\"n\">", k->real_ms);
    if (k->real_ms > 0)
        fprintf(to, "%.3f", k->ideal_ms / k->real_ms);
    fprintf(to, "</td><td class=\"n\">%.3f</td><td class=\"n\">%.3f</td><td>", k->bytes / 1e6, k->decide_ms);
    for (unsigned j = 0; j < k->reasons; j++) {
        fprintf(to, "%s%u: ", j ? "<br>" : "", k->reason[j].n);
        yk_report_escape(k->reason[j].text, to);
    }
    fputs("</td></tr>\n", to);
}

void yk_report_html(const struct yk_report *r, FILE *to)
{
    fputs(head, to);
    fprintf(to, "<p>%.3f ms traced%s.</p>\n", r->end_ms,
            r->complete ? "" : "; the program did not end by itself, or still runs");
    fputs(timeline, to);
    fputs(
        "<h2>Kernels</h2>\n<table id=\"kernels\"><tr><th>kernel</th><th>verdict</th><th>launches</th><th>split</th>"
        "<th>shares</th><th>predicted / then took, ms</th><th>split launches, ms</th><th>efficiency against ideal</th>"
        "<th>MB moved and merged</th><th>deciding, ms</th><th>whole, and why</th></tr>\n",
        to);
    for (size_t i = 0; i < r->kernels; i++)
        put_kernel(r, &r->kernel[i], to);
    fputs("</table>\n<h2>Devices and links</h2>\n<table id=\"uses\"><tr><th></th><th>busy, ms</th><th>of the time</th>"
          "<th>runs or transfers</th><th>work-groups</th><th>MB</th></tr>\n",
          to);
    for (unsigned i = 0; i < r->uses; i++) {
        const struct yk_report_use *u = &r->use[i];
        fputs("<tr><td>", to);
        yk_report_escape(r->track[u->track], to);
        fprintf(to,
                "</td><td class=\"n\">%.3f</td><td class=\"n\">%.1f %%</td><td class=\"n\">%u</td>"
                "<td class=\"n\">%.0f</td><td class=\"n\">%.3f</td></tr>\n",
                u->busy_ms, r->end_ms > 0 ? 100 * u->busy_ms / r->end_ms : 0, u->spans, u->groups, u->bytes / 1e6);
    }
    fputs("</table>\n<script>\n", to);
    put_data(r, to);
    fputs(script, to);
    fputs("</script></body></html>\n", to);
}
